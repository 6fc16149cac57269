import type { GgufFacts } from '../../core/gguf/gguf-facts.ts'
import type { TextModelDescriptor } from '../../core/model.ts'

/** What a text model's own file says of it. */
export function describeGguf(facts: GgufFacts): Pick<TextModelDescriptor, 'trainedLength' | 'generates' | 'ranks' | 'weights'> {
  const { contextLength, use, architecture, parameters, quantization, layers, vocabularySize, cacheBytesPerToken } = facts
  return {
    ...(contextLength !== null && { trainedLength: contextLength }),
    generates: use === 'text',
    ...(use === 'reranker' && { ranks: true }),
    weights: { architecture, parameters, quantization, layers, vocabularySize, cacheBytesPerToken },
  }
}
