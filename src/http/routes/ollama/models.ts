import Type from 'typebox'
import { scopes } from '../../../core/access-token.ts'
import { ServiceError } from '../../../core/error.ts'
import { resolveModelName } from '../../../core/find-descriptor.ts'
import type { Abortable } from '../../../core/waiting.ts'
import { listModels } from '../../../operations/list-models.ts'
import { sendEvents } from '../../answers/send-events.ts'
import { synchronousBody } from '../../body/read-body.ts'
import type { RouteDependencies } from '../../http-dependencies.ts'
import type { HttpSettings } from '../../http-settings.ts'
import type { Call, Route } from '../../route.ts'
import { requireTextModel } from '../../wire/chat/require-text-model.ts'
import { encodeLine } from '../../wire/event-data.ts'
import {
  encodeLoaded,
  encodeShown,
  encodeTags,
  ollamaLoadedSchema,
  ollamaNameSchema,
  ollamaShownSchema,
  ollamaTagsSchema,
  ollamaVersion,
  parseOllamaName,
} from '../../wire/ollama/ollama-models.ts'
import { recordModelChange, requireOwner } from '../models.ts'
import { json, media } from '../row-parts.ts'
import { ndjson } from './runs.ts'

const model = 'smollm2-135m-instruct'
const owners = 'all scopes, on a token of an owner'

/** Installed and loaded models in Ollama's format. Owners can pull and delete. */
export const ollamaModelRoutes: readonly Route[] = [
  {
    method: 'GET',
    path: '/api/version',
    summary: 'Get the version of Ollama whose interface the service supports',
    scopes: null,
    answers: [json('The version.', Type.Object({ version: Type.String() }))],
    handle: () => async () => ({ version: ollamaVersion }),
  },
  {
    method: 'GET',
    path: '/api/tags',
    origin: 'textUrl',
    summary: "List the text models, in Ollama's format",
    scopes,
    answers: [json('Every installed text model.', ollamaTagsSchema)],
    refusals: [429],
    handle: (deps) => async () => encodeTags(listModels(deps)),
  },
  {
    method: 'GET',
    path: '/api/ps',
    origin: 'textUrl',
    summary: "List the text models in memory, in Ollama's format",
    scopes,
    answers: [json('The loaded text models.', ollamaLoadedSchema)],
    refusals: [429],
    handle: (deps) => async () => encodeLoaded(listModels(deps)),
  },
  {
    method: 'POST',
    path: '/api/show',
    origin: 'textUrl',
    summary: "Get a text model, in Ollama's format",
    scopes,
    body: ollamaNameSchema,
    example: { model },
    answers: [json('The model.', ollamaShownSchema)],
    refusals: [404, 413, 415, 429],
    handle:
      (deps, { models: { aliases } }) =>
      async ({ incoming }) => {
        const { model: given } = parseOllamaName(synchronousBody(incoming).value)
        const descriptor = requireTextModel(deps.catalog, resolveModelName(deps.catalog, given, aliases), 'read')
        const listed = listModels(deps).find((each) => each.descriptor.id === descriptor.id)
        return encodeShown(descriptor, listed?.contextLength ?? null)
      },
  },
  {
    method: 'POST',
    path: '/api/pull',
    takesLonger: true,
    origin: 'textUrl',
    summary: "Pull a model, in Ollama's format",
    description:
      'The model is `hf.co/<owner>/<repository>[:<quantization>]`, or a source of `sepia model pull`. Reports progress in JSON lines. The pull continues when the client disconnects.',
    scopes,
    scopeRule: owners,
    body: ollamaNameSchema,
    example: { model: 'hf.co/Qwen/Qwen3-8B-GGUF:Q4_K_M' },
    answers: [media('The progress; one object with `stream: false`.', ndjson, 'application/json')],
    refusals: [404, 413, 415, 422, 429, 503],
    handle: (deps) => (call) => pull(deps, call),
  },
  {
    method: 'DELETE',
    path: '/api/delete',
    takesLonger: true,
    origin: 'textUrl',
    summary: "Delete a pulled model, in Ollama's format",
    scopes,
    scopeRule: owners,
    body: ollamaNameSchema,
    example: { model: 'qwen/qwen3-8b-gguf' },
    answers: [{ status: 200, description: 'The model is deleted.' }],
    refusals: [404, 413, 415, 422, 429],
    handle: (deps, settings) => (call) => remove(deps, settings, call),
  },
]

/** How often the progress of a pull is read. */
const progressMs = 500

async function pull(deps: RouteDependencies, call: Call): Promise<unknown> {
  const { incoming, reply, options } = call
  await requireOwner(deps, call)
  const { model: given, stream } = parseOllamaName(synchronousBody(incoming).value)
  const source = toSource(given)
  if (deps.pulls.start(source)) await recordModelChange(deps, call, { action: 'model-pulled', model: source })
  const progress = pullProgress(deps, source, options)
  if (stream) {
    await sendEvents({ clock: deps.clock, onFailure: call.onFailure }, reply, inLines(progress), { contentType: ndjson, ping: null })
    return reply
  }
  let last: PullProgress = {}
  for await (const step of progress) last = step
  if (last.error !== undefined) throw new ServiceError('server_is_overloaded', last.error)
  return last
}

/** The progress of a pull; the last has the status `success` or an error. */
interface PullProgress {
  readonly status?: string
  readonly error?: string
  readonly digest?: string
  readonly total?: number
  readonly completed?: number
}

async function* inLines(steps: AsyncIterable<PullProgress>): AsyncGenerator<string, void, undefined> {
  for await (const step of steps) yield encodeLine(step)
}

/** Sepia's name of a Hugging Face model that is named in Ollama's way. */
function toSource(given: string): string {
  const [, repository] = /^(?:https?:\/\/)?(?:hf\.co|huggingface\.co)\/([^/\s]+\/[^/\s]+)$/.exec(given) ?? []
  if (repository !== undefined) return `hf:${repository}`
  if (/^[\w.-]+(?::[\w.-]+)?$/.test(given))
    throw new ServiceError(
      'validation_error',
      `\`model\` names a model of Ollama's own registry, which is not used here; pull hf.co/<owner>/<repository>:<quantization> instead.`,
      { param: 'model' },
    )
  return given
}

async function* pullProgress(
  { pulls, clock }: Pick<RouteDependencies, 'pulls' | 'clock'>,
  source: string,
  { signal }: Abortable,
): AsyncGenerator<PullProgress, void, undefined> {
  yield { status: 'pulling manifest' }
  for (;;) {
    const found = pulls.list().find((each) => each.source === source)
    if (found === undefined) return yield { error: 'The pull was stopped.' }
    if (found.state === 'done') return yield { status: 'success' }
    if (found.state === 'failed') return yield { error: `The pull failed: ${found.reason ?? 'the log says why'}` }
    if (found.bytesTotal > 0) {
      const { bytesTotal: total, bytesDone: completed } = found
      yield { status: `pulling ${source}`, digest: source, total, completed }
    }
    await clock.wait(progressMs, { signal })
  }
}

async function remove(deps: RouteDependencies, { models: { aliases } }: HttpSettings, call: Call): Promise<unknown> {
  await requireOwner(deps, call)
  const { model: given } = parseOllamaName(synchronousBody(call.incoming).value)
  const { catalog, pulledModels } = deps
  const id = resolveModelName(catalog, given, aliases)
  const leftOut = catalog.find(id) === undefined ? pulledModels.findLeftOut(id) : undefined
  const model = leftOut ?? requireTextModel(catalog, id, 'read')
  if (!pulledModels.has(model))
    throw new ServiceError('validation_error', `${id} was not pulled; remove it from its models folder.`, { param: 'model' })
  await pulledModels.remove(model)
  await recordModelChange(deps, call, { action: 'model-removed', model: id })
  return call.reply.code(200).send()
}
