import type { TSchema } from 'typebox'
import { ServiceError } from '../../../core/error.ts'
import { isRecord } from '../../../core/json-value.ts'
import type { ModelCatalog } from '../../../core/ports/model-catalog.ts'
import type { TextPart } from '../../../core/text-generation.ts'
import { collectText } from '../../../operations/collect-text.ts'
import { generateText } from '../../../operations/generate-text.ts'
import { tokenize } from '../../../operations/read-tokens.ts'
import { streamText } from '../../answers/stream-text.ts'
import { synchronousBody } from '../../body/read-body.ts'
import type { RouteDependencies } from '../../http-dependencies.ts'
import type { Call, Route } from '../../route.ts'
import { pictureBytes, refuseOverlong } from '../../wire/chat/overlong-prompt.ts'
import { mostTokens, requireTextModel, useOf } from '../../wire/chat/require-text-model.ts'
import { withModelDefaults } from '../../wire/chat/with-model-defaults.ts'
import { ollamaChatSchema, parseOllamaChat } from '../../wire/ollama/chat-request.ts'
import { ollamaGenerateSchema, parseOllamaGenerate } from '../../wire/ollama/generate-request.ts'
import { OllamaAnswer, ollamaChatAnswerSchema, ollamaGenerateAnswerSchema } from '../../wire/ollama/run-answers.ts'
import type { OllamaRun } from '../../wire/ollama/run-fields.ts'
import { recordModelChange, requireOwner, unloadAfterwards } from '../models.ts'
import { modelRefusals, text } from '../row-parts.ts'

/** The media type of a stream of JSON lines. */
export const ndjson = 'application/x-ndjson'

const model = 'smollm2-135m-instruct'
const about =
  'The response is a stream of JSON lines; the last one has `done: true` and the statistics. With `stream: false`, it is one object. Without a prompt or messages, the model is loaded, or unloaded if an owner sends `keep_alive: 0`. With a prompt, `keep_alive: 0` unloads it after the answer.'

/** Conversations and prompts in Ollama's format. */
export const ollamaRunRoutes: readonly Route[] = [
  {
    method: 'POST',
    path: '/api/chat',
    origin: 'textUrl',
    summary: "Continue a conversation, in Ollama's format",
    description: about,
    scopes: ['text'],
    spends: 'tokens',
    model: 'named',
    body: ollamaChatSchema,
    example: { model, messages: [{ role: 'user', content: 'What is the capital of France?' }], stream: false },
    answers: [answerOf(ollamaChatAnswerSchema)],
    refusals: modelRefusals,
    handle: (deps) => (call) => run(deps, call, { shape: 'chat', parse: parseOllamaChat }),
  },
  {
    method: 'POST',
    path: '/api/generate',
    origin: 'textUrl',
    summary: "Answer a prompt, in Ollama's format",
    description: about,
    scopes: ['text'],
    spends: 'tokens',
    model: 'named',
    body: ollamaGenerateSchema,
    example: { model, prompt: 'What is the capital of France?', stream: false },
    answers: [answerOf(ollamaGenerateAnswerSchema)],
    refusals: modelRefusals,
    handle: (deps) => (call) => run(deps, call, { shape: 'generate', parse: parseOllamaGenerate }),
  },
]

function answerOf(schema: TSchema): Route['answers'][number] {
  return { status: 200, description: 'The answer, or one line of its stream.', content: { 'application/json': schema, [ndjson]: text } }
}

interface Shape {
  readonly shape: 'chat' | 'generate'
  readonly parse: (body: unknown) => OllamaRun
}

async function run(deps: RouteDependencies, call: Call, { shape, parse }: Shape): Promise<unknown> {
  const { incoming, work, caller, options } = call
  const body = synchronousBody(incoming)
  const parsed = parse(withDefaults(deps.catalog, body.value))
  const answer = new OllamaAnswer(shape, { model: parsed.model, clock: deps.clock })
  if (parsed.request === null) return answer.nothing(await load(deps, call, parsed))
  const descriptor = requireTextModel(deps.catalog, parsed.model, useOf(parsed.request.input, 'generate'))
  refuseLargerContext(parsed, descriptor.contextLength ?? descriptor.trainedLength)
  const request = { ...parsed.request, maxTokens: mostTokens(parsed.request, descriptor) }
  refuseOverlong(descriptor, { bytes: body.byteLength - pictureBytes(request), param: shape === 'chat' ? 'messages' : 'prompt' })
  const complete = incoming.latePictures?.putInto()
  const generated = generateText(work, { caller, request, complete }, options)
  const parts = parsed.unloads ? unloadingAfter(generated, () => unloadAfterwards(deps, call, descriptor.id)) : generated
  if (parsed.stream)
    return streamText(deps, call, parts, { encode: (started) => answer.lines(started), ping: answer.ping, contentType: ndjson })
  const { choices } = await collectText(parts, (part) => answer.note(part))
  const [choice = { text: '', thoughts: '', toolCalls: [], logprobs: [], reason: 'stop' }] = choices
  return answer.whole(choice)
}

async function* unloadingAfter(parts: AsyncIterable<TextPart>, unload: () => Promise<void>): AsyncGenerator<TextPart, void, undefined> {
  yield* parts
  await unload()
}

/** Fills the options that a body leaves out with the sampling defaults of the model's `model.json`. */
function withDefaults(catalog: ModelCatalog, body: unknown): unknown {
  if (!isRecord(body)) return body
  const { options: given, model: id } = body
  const options = given ?? {}
  if (!isRecord(options)) return body
  const { model: _, ...filled } = Object(withModelDefaults(catalog, { ...options, model: id }))
  if (Object.hasOwn(options, 'repetition_penalty') || !Object.hasOwn(filled, 'repetition_penalty')) return { ...body, options: filled }
  const { repetition_penalty: repeat_penalty, ...rest } = filled
  return { ...body, options: { ...rest, repeat_penalty } }
}

/** Loads a model by a use that costs nothing, or unloads it for an owner. */
async function load(deps: RouteDependencies, call: Call, { model: id, unloads }: OllamaRun): Promise<'load' | 'unload'> {
  const { id: model } = requireTextModel(deps.catalog, id, 'read')
  if (unloads) {
    await requireOwner(deps, call)
    if (await deps.pool.unload(model, call.options)) await recordModelChange(deps, call, { action: 'model-unloaded', model })
    return 'unload'
  }
  const request = { model, input: { type: 'text', text: '', framed: false, special: false }, spelled: false } as const
  await tokenize(call.work, { caller: call.caller, request }, call.options)
  return 'load'
}

function refuseLargerContext({ contextLength, model: id }: OllamaRun, available: number | undefined): void {
  if (contextLength === undefined || available === undefined || contextLength <= available) return
  const message = `\`options.num_ctx\` is more than the ${available} tokens that ${id} has; lower it, or raise "contextLength" in its model.json.`
  throw new ServiceError('unsupported_parameter', message, { param: 'options.num_ctx' })
}
