import type { EndingRules, TextPart, TextRequest } from '../../core/text-generation.ts'
import { ChannelThoughts } from './answer/channel-thoughts.ts'
import { ChoiceOutput } from './answer/choice-output.ts'
import { MarkedThoughts } from './answer/marked-thoughts.ts'
import type { PromptEcho } from './answer/prompt-echo.ts'
import type { ThoughtReader } from './answer/thought-reader.ts'
import type { AdapterSet } from './batch/adapter-set.ts'
import type { Generation, GenerationEnd } from './batch/generation.ts'
import { isToken, type PromptPicture } from './batch/prompt-pictures.ts'
import { constrainCalls, type RequestConstraints } from './constrain-request.ts'
import type { OutputConstraint } from './grammar/output-constraint.ts'
import type { LlamaEngine } from './llama-engine.ts'
import type { Begun, ThoughtFormat } from './prompt/thought-format.ts'
import { ChoiceSampler } from './sampling/choice-sampler.ts'
import { samplerConfig } from './sampling/sampler-config.ts'

const plainEnding: EndingRules = { includeStop: false, stopTokens: [], minTokens: 0, ignoreEnd: false }

export interface ChoiceEvents {
  readonly choice: number
  /** 32 bits. */
  readonly seed: number
  readonly push: (part: TextPart) => void
  readonly onPrompt: (cachedTokens: number) => void
  /** The choice is complete; `tokens` were generated, the one that ended it not counted, `thoughts` of them before the answer. */
  readonly onFinish: (tokens: number, thoughts: number) => void
  readonly onFailure: (error: Error) => void
}

/** What the choices of a request have in common. */
export interface ChoiceWork {
  readonly constraints: RequestConstraints
  readonly prompt: Uint32Array
  readonly pictures: readonly PromptPicture[]
  /** The part of the answer that the prompt has already opened. */
  readonly begun: Begun
  /** Tokens of thoughts after which the answer begins. */
  readonly thoughtLimit: number
  readonly limit: number
  readonly account: string
  readonly adapters: AdapterSet
  /** Text to repeat before the answer; null = none. */
  readonly echo: PromptEcho | null
}

/** One choice of a request as the decode loop sees it: its sampler, and what becomes of each token. */
export function createGeneration(engine: LlamaEngine, request: TextRequest, work: ChoiceWork, events: ChoiceEvents): Generation {
  const { prompt, pictures, limit, account, constraints } = work
  const { contextLength, vocabulary } = engine
  const ending = request.ending ?? plainEnding
  const config = samplerConfig(request.sampling, { seed: events.seed, prompt: prompt.filter(isToken), contextLength })
  const sampler = new ChoiceSampler(engine, config, { account, ending, bias: request.sampling.logitBias })
  const { format = null, choice: toolChoice = 'auto' } = constraints.tools ?? {}
  const thoughtFormat = request.input.type === 'chat' ? engine.template.thoughts : null
  const continued = request.input.type === 'chat' && request.input.opening === 'last-message'
  const thoughts = createThoughtReader(thoughtFormat, { begun: continued ? 'answer' : work.begun, calls: format !== null })
  const { stop, tellsTokens } = request
  const { choice, push } = events
  const output = new ChoiceOutput(vocabulary, {
    choice,
    stop,
    ending,
    format,
    thoughts,
    callsOnly: toolChoice !== 'auto',
    tellsTokens,
    push,
  })
  let tokens = 0
  let constrained = false
  let warnings: readonly string[] = []
  const constrain = (constraint: OutputConstraint): void => {
    constrained = true
    warnings = constraint.loosened
    sampler.constrain(constraint, limit - tokens)
  }
  // A call that must come is the first message of an answer in channels.
  const callFirst = format?.readAs !== undefined && toolChoice !== 'auto'
  if (constraints.output !== null && (output.answering || callFirst)) constrain(constraints.output)
  // A request without answer tokens only needs the prompt; the token drawn by the loop is discarded.
  const isEmpty = request.maxTokens === 0
  let thoughtTokens = 0
  let closing = false
  const limitThoughts = (): void => {
    if (thoughtFormat === null || closing || !output.insideThoughts || thoughtTokens < work.thoughtLimit) return
    closing = true
    sampler.force(vocabulary.tokenize(thoughtFormat.closing, { special: true }))
  }
  limitThoughts()
  const inChannels = thoughtFormat?.channels ?? false
  const bareText = continued || work.begun !== null || (inChannels && format !== null) ? '' : (thoughtFormat?.bare ?? '')
  if (bareText !== '') {
    // An answer that may not think begins at once; one that must follow a format begins with its mark, or a header at least.
    const bare = vocabulary.tokenize(bareText, { special: true })
    const least = constraints.output === null ? 0 : inChannels ? 1 : bare.length
    sampler.force(bare.subarray(0, work.thoughtLimit === 0 ? bare.length : least))
  }

  const finish = (end: GenerationEnd | 'stop-string'): void => {
    output.end(end, warnings)
    events.onFinish(tokens, thoughtTokens)
  }
  return {
    account,
    adapters: work.adapters,
    prompt,
    pictures,
    limit,
    draw: (context, index) => sampler.draw(context, index),
    drawsAhead: constraints.output === null && constraints.tools === null && thoughts === null,
    isEnd: (token) => !isEmpty && (vocabulary.isEnd(token) || ending.stopTokens.includes(token)),
    topLogprobs: request.topLogprobs,
    onPromptToken: work.echo?.scored === true && events.choice === 0 ? (token, logprobs) => work.echo?.add(token, logprobs) : null,
    onPrompt: (cachedTokens) => {
      events.onPrompt(cachedTokens)
      if (work.echo !== null) events.push(work.echo.part(events.choice))
    },
    onToken: (token, logprobs) => {
      if (isEmpty) {
        finish('limit')
        return false
      }
      tokens++
      const inside = output.insideThoughts && !closing
      const { stopped } = output.add(token, logprobs)
      if (inside && output.insideThoughts) thoughtTokens++
      limitThoughts()
      if (stopped) finish('stop-string')
      const { triggered } = output
      if (!constrained && constraints.output !== null && output.answering && !sampler.forced) constrain(constraints.output)
      if (!constrained && triggered !== null && constraints.tools !== null) {
        constrained = true
        const constraint = constrainCalls(engine, constraints.tools, { written: triggered, account })
        if (constraint !== null) constrain(constraint)
      }
      return !stopped
    },
    onEnd: finish,
    onFailure: events.onFailure,
    onRelease: () => sampler[Symbol.dispose](),
  }
}

/**
 * Creates the reader of an answer's reasoning; null = none.
 *
 * @param begun The part of the answer that the prompt has already opened.
 * @param calls Whether tool calls may occur.
 */
function createThoughtReader(
  format: ThoughtFormat | null,
  { begun, calls }: { readonly begun: Begun; readonly calls: boolean },
): ThoughtReader | null {
  if (format === null) return null
  if (format.channels) return new ChannelThoughts({ answers: begun === 'answer', calls })
  return begun === 'answer' && format.answer.close === '' ? null : new MarkedThoughts(format, begun)
}
