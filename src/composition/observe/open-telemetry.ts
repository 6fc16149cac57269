import type { Config } from '../../config/settings.ts'
import { BufferedLines, createLog } from '../../telemetry/log.ts'
import { type OtlpSettings, openOtlp } from '../../telemetry/otlp/open-otlp.ts'
import { faultSurvived } from '../../telemetry/service-events.ts'
import { createServiceMetrics } from '../../telemetry/service-metrics.ts'
import { createTelemetry, type Telemetry } from '../../telemetry/telemetry.ts'
import { findWaysOut } from '../ways-out.ts'

/** Opens the log, the metrics and, if configured, the export to a collector; disposing sends and writes what is left. */
export async function openTelemetry(config: Pick<Config, 'log' | 'otlp' | 'proxies'>): Promise<Telemetry & AsyncDisposable> {
  const { log, otlp } = config
  const lines = new BufferedLines(process.stderr)
  const opened = createLog(log, lines)
  const metrics = createServiceMetrics()
  const onFault = (fault: unknown) => faultSurvived(telemetry, { where: 'otlp' }, fault)
  const collector = otlp === null ? null : await openOtlp({ registry: metrics.registry, onFault }, { ...otlp, ...wayTo(otlp.url, config) })
  const telemetry = createTelemetry(opened, { metrics, begin: collector?.begin ?? null })
  return {
    ...telemetry,
    async [Symbol.asyncDispose]() {
      await collector?.[Symbol.asyncDispose]()
      lines[Symbol.dispose]()
    },
  }
}

function wayTo(url: string, config: Pick<Config, 'proxies'>): Pick<OtlpSettings, 'openAgent'> {
  const route = findWaysOut(config).findRoute(new URL(url))
  return route === null ? {} : { openAgent: () => route.openAgent({ keepAlive: true }) }
}
