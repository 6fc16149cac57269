import type { Telemetry } from './telemetry.ts'

/** This node became one of a cluster. */
export function clusterJoined(
  { log }: Telemetry,
  event: { readonly nodeId: string; readonly role: string; readonly url: string | null; readonly nodes: number },
): void {
  log.info(event, 'cluster joined')
}

/** Another node could not be reached, or takes this one for a stranger: its slots are not used. */
export function nodeUnreached(
  { log }: Telemetry,
  event: { readonly nodeId: string; readonly host: string; readonly url: string | null },
  cause: unknown,
): void {
  log.warn({ ...event, err: cause }, 'node cannot be reached')
}
