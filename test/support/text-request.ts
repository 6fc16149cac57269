import type { TextRequest } from '../../src/core/text-generation.ts'

/** A chat request with one user message and every default filled in. */
export function makeTextRequest(content: string, overrides: Partial<TextRequest> = {}): TextRequest {
  return {
    model: 'fake-chat',
    input: { type: 'chat', messages: [{ role: 'user', content }], tools: [], toolChoice: 'auto', parallelToolCalls: true },
    maxTokens: 512,
    sampling: {
      temperature: 1,
      topP: 1,
      topK: 0,
      minP: 0,
      frequencyPenalty: 0,
      presencePenalty: 0,
      repetitionPenalty: 1,
      seed: 7,
      logitBias: new Map(),
    },
    stop: [],
    choices: 1,
    topLogprobs: null,
    responseFormat: { type: 'text' },
    ...overrides,
  }
}
