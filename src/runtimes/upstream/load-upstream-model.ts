import { conversationKey } from '../../core/cluster/attraction.ts'
import { defined } from '../../core/defined.ts'
import { ServiceError } from '../../core/error.ts'
import type { TextModelDescriptor } from '../../core/model.ts'
import type { LoadedModel } from '../../core/ports/model-loader.ts'
import type { TextModel } from '../../core/ports/text-model.ts'
import type { Abortable } from '../../core/waiting.ts'
import { encodeMessagesRequest } from './anthropic/encode-messages-request.ts'
import { MessageDecoder } from './anthropic/message-decoder.ts'
import { type ModelsAnswer, parseModels } from './chunk.ts'
import { createOpenAiProtocol } from './openai-protocol.ts'
import { ReplicaSet, type ReplicaSettings } from './replicas/replica-set.ts'
import { streamAnswer } from './stream-answer.ts'
import type { CountWatch, TextProtocol } from './text-protocol.ts'
import type { UpstreamServer } from './upstream-connection.ts'

/**
 * Connects to the servers that a `model.json` names. The model takes no local memory and never exits.
 *
 * @throws {ServiceError} `inference_failed` if none is reachable.
 */
export async function loadUpstreamModel(
  { id, format, upstream }: TextModelDescriptor,
  { signal, traceparent, findRoute, ...settings }: ReplicaSettings & Abortable & Pick<UpstreamServer, 'traceparent' | 'findRoute'>,
): Promise<LoadedModel<TextModel>> {
  if (upstream === undefined) throw new ServiceError('internal_error', `The model ${id} has no upstream.`)
  const createProtocol = format === 'anthropic' ? createAnthropicProtocol : createOpenAiProtocol
  const protocol = createProtocol(upstream.model, settings)
  using stack = new DisposableStack()
  const servers = stack.use(await ReplicaSet.open({ ...upstream, ...protocol, ...defined({ traceparent, findRoute }) }, settings))
  const models = parseModels(await servers.findModels({ signal }))
  const kept = stack.move()
  return {
    model: { ...createUpstreamTextModel(servers, protocol), contextLength: findContextLength(models, upstream.model) },
    slots: servers.slots,
    exited: new Promise(() => {}),
    memoryBytes: () => 0,
    [Symbol.asyncDispose]: async () => kept.dispose(),
  }
}

function createUpstreamTextModel(servers: ReplicaSet, protocol: TextProtocol): TextModel {
  const { rank } = protocol
  return {
    generate: (request, { signal, account }) =>
      servers.stream(conversationKey(account, request), (connection) => protocol.generate(connection, request, { signal }), { signal }),
    embed: (request, { signal }) =>
      servers.ask(request.inputs[0]?.toString() ?? '', (connection) => protocol.embed(connection, request, { signal }), { signal }),
    rank: rank && ((request, { signal }) => servers.ask(request.query, (connection) => rank(connection, request, { signal }), { signal })),
  }
}

function findContextLength(models: ModelsAnswer | undefined, model: string): number | undefined {
  if (!Array.isArray(models?.data)) return undefined
  const found = models.data.find((listed) => listed?.id === model)
  const length = found?.max_model_len ?? found?.context_length
  return typeof length === 'number' && Number.isInteger(length) && length > 0 ? length : undefined
}

/** Anthropic's Messages API, in the version that its servers have required since 2023. */
function createAnthropicProtocol(model: string, watch: CountWatch = {}): TextProtocol {
  return {
    generate(connection, request, { signal }) {
      const question = { path: '/messages', body: encodeMessagesRequest(request, model), decoder: new MessageDecoder() }
      return streamAnswer(connection, question, request, { signal, onUncounted: watch.onUncounted })
    },
    async embed() {
      throw new ServiceError('unsupported_parameter', 'This model makes no embeddings; use another.', { param: 'model' })
    },
    headersFor: (key) => ({ 'anthropic-version': '2023-06-01', ...(key !== null && { 'x-api-key': key }) }),
  }
}
