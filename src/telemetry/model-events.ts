import type { ComputeDevice } from '../core/compute-device.ts'
import type { ModelState } from '../core/ports/model-pool.ts'
import type { TextFigures } from '../core/ports/text-model.ts'
import type { Telemetry } from './telemetry.ts'

/** A model is in memory and ready. */
export function modelLoaded(
  { log, metrics, traces }: Telemetry,
  event: { readonly modelId: string; readonly loadMs: number; readonly device?: ComputeDevice | undefined },
): void {
  const endedAt = Date.now()
  traces.record('load', { startedAt: endedAt - event.loadMs, endedAt, attributes: { 'sepia.model': event.modelId } })
  metrics.modelLoads.add([event.modelId])
  metrics.modelLoadSeconds.observe([event.modelId], event.loadMs / 1000)
  log.info(event, 'model loaded')
}

/** @param event.reason A fixed word such as `idle`, `memory` or `requested`. */
export function modelUnloaded({ log, metrics }: Telemetry, event: { readonly modelId: string; readonly reason: string }): void {
  metrics.modelUnloads.add([event.modelId, event.reason])
  log.info(event, 'model unloaded')
}

/** Models were pulled or removed at run time. */
export function catalogChanged(
  { log }: Telemetry,
  event: { readonly added: readonly string[]; readonly removed: readonly string[] },
): void {
  log.info(event, 'catalog changed')
}

/** A field of a model's file has no effect; the model works. */
export function modelFieldIdle(
  { log }: Telemetry,
  event: { readonly file: string; readonly field: string; readonly message: string },
): void {
  log.warn({ file: event.file, field: event.field, reason: event.message }, 'a field of a model file has no effect')
}

/** A file or model in the model folders was left out. */
export function modelFaulty(
  { log }: Telemetry,
  { file, field, message }: { readonly file: string; readonly field: string; readonly message: string },
): void {
  log.warn({ file, ...(field !== '' && { field }), reason: message }, 'left out of the models')
}

/** A model's process exited unexpectedly; only its own requests failed. */
export function modelCrashed({ log, metrics }: Telemetry, event: { readonly modelId: string; readonly reason: string }): void {
  metrics.modelCrashes.add([event.modelId])
  log.error(event, 'model crashed')
}

/** A line of output from an engine's libraries. */
export function engineOutput({ log }: Telemetry, event: { readonly modelId: string; readonly line: string }): void {
  log.debug(event, 'engine output')
}

/** A server of a model stopped or resumed responding; the others continue. */
export function serverChanged(
  { log }: Telemetry,
  event: { readonly modelId: string; readonly url: string; readonly answers: boolean; readonly reason: string },
): void {
  if (event.answers) log.info(event, 'server answers again')
  else log.warn(event, 'server does not answer')
}

/** The servers of a model send no token counts; those of answers are estimated. */
export function tokensUncounted({ log }: Telemetry, event: { readonly modelId: string }): void {
  log.warn(event, 'server sends no token counts')
}

/** A request was refused before it got a slot; its access line has the status. */
export function requestRefused({ log }: Telemetry, event: { readonly modelId: string; readonly because: string }): void {
  log.debug(event, 'request refused')
}

/** An engine's process has loaded its model. */
export function engineStarted(
  { log }: Telemetry,
  event: { readonly modelId: string; readonly pid: number; readonly loadMs: number },
): void {
  log.debug({ modelId: event.modelId, pid: event.pid, loadMs: event.loadMs }, 'engine started')
}

/** Speculative tokens were checked; a newly loaded model has none yet. */
export function tokensGuessed(
  { metrics }: Telemetry,
  { modelId, guesses, guessedTokens, rightTokens }: { readonly modelId: string } & Omit<TextFigures, 'cacheUse'>,
): void {
  metrics.guesses.add([modelId], guesses)
  metrics.guessedTokens.add([modelId], guessedTokens)
  metrics.rightTokens.add([modelId], rightTokens)
}

/** An engine's process has exited. */
export function engineExited(
  { log }: Telemetry,
  event: { readonly modelId: string; readonly pid: number | undefined; readonly reason: string },
): void {
  log.debug({ modelId: event.modelId, pid: event.pid, reason: event.reason }, 'engine exited')
}

/** Adds the gauges of every known model: memory, slots in use, requests waiting. */
export function observeModels({ metrics }: Telemetry, states: () => readonly ModelState[]): void {
  const perModel = (name: string, help: string, read: (state: ModelState) => number): void =>
    metrics.registry.gauge({ name, help, labels: ['model'] }, () => states().map((state) => [[state.modelId], read(state)] as const))
  perModel('sepia_model_memory_bytes', 'Resident bytes of the model process; 0 when unloaded.', ({ memoryBytes }) => memoryBytes)
  perModel('sepia_model_slots_in_use', 'Requests running on a model.', ({ inUse }) => inUse)
  perModel('sepia_model_requests_waiting', 'Requests waiting for a model.', ({ waiting }) => waiting)
  const help = 'Share of the KV cache that running requests fill, 0 to 1; of loaded models whose runtime reports it.'
  metrics.registry.gauge({ name: 'sepia_kv_cache_usage_perc', help, labels: ['model'] }, () =>
    states().flatMap(({ modelId, cacheUse }) => (cacheUse === undefined ? [] : [[[modelId], cacheUse] as const])),
  )
}
