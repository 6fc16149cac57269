import { ServiceError } from '../../core/error.ts'
import type { TextRequest } from '../../core/text-generation.ts'
import { constrainOutput, type OutputConstraint } from './grammar/output-constraint.ts'
import { constrainCallsOrAnswer, constrainToolCalls, type ToolRules } from './grammar/tool-grammar.ts'
import type { LlamaEngine } from './llama-engine.ts'

/** What a request allows its answers to be. */
export interface RequestConstraints {
  /** From the first token on; null = free text. */
  readonly output: OutputConstraint | null
  /** The tools that may be called; null = none. */
  readonly tools: ToolRules | null
}

/** @throws {ServiceError} `unsupported_parameter` or `invalid_request_error` naming the parameter that cannot be honoured. */
export function constrainRequest(engine: LlamaEngine, request: TextRequest): RequestConstraints {
  const { input, responseFormat, sampling } = request
  checkTokens('logit_bias', sampling.logitBias.keys(), engine.vocabulary.size)
  checkTokens('stop_token_ids', request.ending?.stopTokens ?? [], engine.vocabulary.size)
  if (input.type === 'prompt' && input.echo && request.topLogprobs !== null)
    throw unsupported('echo', 'echo cannot be combined with logprobs; send one of them.')
  if (input.type === 'prompt' || input.tools.length === 0 || input.toolChoice === 'none')
    return { output: constrainOutput(responseFormat), tools: null }
  const format = { ...engine.toolFormat, names: input.tools.map((tool) => tool.name) }
  const tools = { tools: input.tools, choice: input.toolChoice, parallel: input.parallelToolCalls, format }
  if (responseFormat.type === 'grammar')
    throw unsupported(responseFormat.field, `${responseFormat.field} cannot be combined with tools; send tool_choice "none", or no tools.`)
  if (input.toolChoice !== 'auto') return { output: constrainToolCalls(tools, null), tools }
  return { output: responseFormat.type === 'text' ? null : constrainCallsOrAnswer(tools, responseFormat), tools }
}

function checkTokens(param: string, tokens: Iterable<number>, vocabularySize: number): void {
  for (const token of tokens) {
    if (Number.isInteger(token) && token >= 0 && token < vocabularySize) continue
    const message = `${param} names token ${token}; this model's tokens are 0 to ${vocabularySize - 1}.`
    throw new ServiceError('invalid_request_error', message, { param })
  }
}

function unsupported(param: string, message: string): ServiceError {
  return new ServiceError('unsupported_parameter', message, { param })
}
