import { ServiceError } from '../../core/error.ts'
import type { ResponseFormat, TextRequest } from '../../core/text-generation.ts'
import { constrainOutput, fieldOf, type OutputConstraint } from './grammar/output-constraint.ts'
import { constrainCallsOrAnswer, constrainToolCalls, type ToolRules } from './grammar/tool-grammar.ts'
import type { LlamaEngine } from './llama-engine.ts'
import { requireKnownTokens } from './prompt/own-tokens.ts'

/** Constraints on a request's answers. */
export interface RequestConstraints {
  /** From the first token on; null = free text. */
  readonly output: OutputConstraint | null
  /** The tools that may be called; null = none. */
  readonly tools: ToolRules | null
}

/**
 * Settles what a request's answers may be.
 *
 * @throws {ServiceError} `unsupported_parameter` or `invalid_request_error` naming the parameter that cannot be honoured,
 *   `rate_limit_exceeded` when it is new and the account's grammars took too much work.
 */
export function constrainRequest(engine: LlamaEngine, request: TextRequest, account: string): RequestConstraints {
  const { input, responseFormat, sampling } = request
  requireKnownTokens('logit_bias', sampling.logitBias.keys(), engine.vocabulary)
  requireKnownTokens('stop_token_ids', request.ending?.stopTokens ?? [], engine.vocabulary)
  if (input.type === 'prompt') requireKnownTokens('prompt', input.tokens ?? [], engine.vocabulary)
  if (input.type === 'prompt' || input.tools.length === 0 || input.toolChoice === 'none')
    return { output: constrainFormat(engine, responseFormat, account), tools: null }
  const format = { ...engine.toolFormat, tools: input.tools }
  const tools = { tools: input.tools, choice: input.toolChoice, parallel: input.parallelToolCalls, format }
  if (responseFormat.type === 'grammar') {
    const { field: param } = responseFormat
    const message = `${param} cannot be combined with tools; send tool_choice "none", or no tools.`
    throw new ServiceError('unsupported_parameter', message, { param })
  }
  if (input.toolChoice !== 'auto') return { output: constrainCalls(engine, tools, { written: null, account }), tools }
  if (responseFormat.type === 'text') return { output: null, tools }
  if (format.readAs !== undefined) return { output: constrainFormat(engine, responseFormat, account), tools } // calls come elsewhere
  const requested = { param: fieldOf(responseFormat), account }
  const wish = JSON.stringify([responseFormat, wishOf(tools)])
  return { output: engine.constraints.get(wish, requested, () => constrainCallsOrAnswer(tools, responseFormat)), tools }
}

/**
 * Constrains tool calls as `constrainToolCalls` does, with caching.
 *
 * @throws {ServiceError} as `constrainToolCalls`, and `rate_limit_exceeded` for a new grammar if the account's grammars took too much work.
 */
export function constrainCalls(
  { constraints }: Pick<LlamaEngine, 'constraints'>,
  tools: ToolRules,
  { written, account }: { readonly written: string | null; readonly account: string },
): OutputConstraint | null {
  const wish = JSON.stringify([wishOf(tools), written])
  return constraints.get(wish, { param: 'tools', account }, () => constrainToolCalls(tools, written))
}

function constrainFormat({ constraints }: LlamaEngine, format: ResponseFormat, account: string): OutputConstraint | null {
  if (format.type === 'text' || format.type === 'grammar') return constrainOutput(format)
  return constraints.get(JSON.stringify(format), { param: fieldOf(format), account }, () => constrainOutput(format))
}

/** The part of the tools that a grammar is made of. */
function wishOf({ tools, choice, parallel }: ToolRules): unknown {
  return [tools.map(({ name, parameters }) => [name, parameters]), choice, parallel]
}
