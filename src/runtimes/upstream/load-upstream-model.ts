import { ServiceError } from '../../core/error.ts'
import type { TextModelDescriptor } from '../../core/model.ts'
import type { LoadedModel } from '../../core/ports/model-loader.ts'
import type { TextModel } from '../../core/ports/text-model.ts'
import { UpstreamConnection } from './upstream-connection.ts'
import { createUpstreamTextModel } from './upstream-text-model.ts'

/**
 * Connects to the upstream a `model.json` names; it takes no memory here and never exits.
 *
 * @throws {ServiceError} `inference_failed` when the upstream does not answer.
 */
export async function loadUpstreamModel(
  { id, upstream }: TextModelDescriptor,
  { signal }: { readonly signal: AbortSignal },
): Promise<LoadedModel<TextModel>> {
  if (upstream === undefined) throw new ServiceError('internal_error', `The model ${id} has no upstream.`)
  const connection = await UpstreamConnection.open(upstream)
  const pieces = await connection.send('/models', null, { signal })
  for await (const _piece of pieces);
  return {
    model: createUpstreamTextModel(connection, upstream.model),
    slots: upstream.slots,
    exited: new Promise(() => {}),
    memoryBytes: () => 0,
    [Symbol.asyncDispose]: async () => connection[Symbol.dispose](),
  }
}
