import type { Config } from '../config/settings.ts'
import type { BodyKeys } from '../core/ports/body-keys.ts'
import type { OutputStore } from '../core/ports/output-store.ts'
import type { Store } from '../core/ports/store.ts'
import type { Abortable } from '../core/waiting.ts'
import { BodyRecorder } from '../operations/bodies/body-recorder.ts'
import { RequestRecorder } from '../operations/requests/request-recorder.ts'
import { RetryingUsageLog } from '../operations/retrying-usage-log.ts'
import { faultSurvived, observeBodyLog } from '../telemetry/service-events.ts'
import type { Telemetry } from '../telemetry/telemetry.ts'
import { openRequestLogKeys } from './open-store.ts'

/** Records written after the caller has its answer. */
interface Records extends AsyncDisposable {
  readonly books: RetryingUsageLog
  readonly recorder: RequestRecorder
  readonly bodies: BodyRecorder
  readonly bodyKeys: BodyKeys
}

/** Opens the usage log, the request log and the log of bodies; disposing writes what is waiting. */
export async function openRecords(
  config: Config,
  { store, outputs, telemetry }: { readonly store: Store; readonly outputs: OutputStore; readonly telemetry: Telemetry },
  options: Abortable,
): Promise<Records> {
  await using undo = new AsyncDisposableStack()
  const { clock, usage, requests, documents } = store
  const survive = (where: string) => (error: unknown) => faultSurvived(telemetry, { where }, error)
  const books = undo.use(new RetryingUsageLog(usage, { clock, onFault: survive('book-usage') }))
  const recorder = undo.use(new RequestRecorder(requests, { onFault: survive('record-request') }))
  const bodyKeys = await openRequestLogKeys(config)
  const bodies = undo.use(
    new BodyRecorder({
      documents,
      outputs,
      clock,
      keys: bodyKeys,
      mostBytes: config.accounts.requestLog.mostBytes,
      onDropped: observeBodyLog(telemetry, clock),
      onFault: survive('request-log'),
    }),
  )
  await bodies.refresh(options)
  const owned = undo.move()
  return { books, recorder, bodies, bodyKeys, [Symbol.asyncDispose]: () => owned.disposeAsync() }
}
