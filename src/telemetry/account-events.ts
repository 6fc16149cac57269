import type { Telemetry } from './telemetry.ts'

/** A sign-in or a one-time code was refused. What was typed is not logged: people type passwords into the wrong field. */
export function signInRefused({ log, metrics }: Telemetry, event: { readonly address: string }): void {
  metrics.signInsRefused.add([])
  log.warn(event, 'sign-in refused')
}
