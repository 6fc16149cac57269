import type { Telemetry } from './telemetry.ts'

/** This node became one of a cluster. */
export function clusterJoined(
  { log }: Telemetry,
  event: { readonly nodeId: string; readonly role: string; readonly url: string | null; readonly nodes: number },
): void {
  log.info(event, 'cluster joined')
}
