import { useSignal } from '@preact/signals'
import type { VNode } from 'preact'
import { useCallback } from 'preact/hooks'
import type { ServiceHealth, ServiceLimit, ServiceNode } from '../../../contract/service.ts'
import { request, send } from '../../interface/request.ts'
import { decimalText } from '../../language/formats.ts'
import { byteText } from '../../parts/byte-text.ts'
import { durationText } from '../../parts/duration-text.ts'
import { type Column, Ledger } from '../../parts/ledger.tsx'
import { Loaded } from '../../parts/loaded.tsx'
import { Page } from '../../parts/page.tsx'
import { loadModels } from '../../state/models.ts'
import { useRepeat } from '../../state/repeat.ts'
import { useResource } from '../../state/resource.ts'
import { LiveBoard, mostReadings } from './live-board.tsx'
import type { ServiceReading } from './live-figures.ts'
import { ModelLedger } from './model-ledger.tsx'
import { readMetrics } from './read-metrics.ts'
import { t } from './text.ts'

const refreshMs = 3000
const limitColumns: readonly Column<ServiceLimit>[] = [
  { title: t`What`, kind: 'lead', cell: ({ name }) => name },
  { title: t`At most`, kind: 'amount', cell: ({ value }) => value },
]

const nodeColumns: readonly Column<ServiceNode>[] = [
  { title: t`Machine`, kind: 'lead', cell: ({ host }) => host },
  { title: t`Does`, cell: ({ role, draining }) => (draining ? t`${role}, stopping` : role) },
  { title: t`Version`, cell: ({ version }) => version },
  { title: t`Loaded`, cell: ({ loaded }) => loaded.join(', ') || '–' },
  { title: t`Slots in use`, kind: 'amount', cell: ({ inUse, slots }) => t`${inUse} of ${slots}` },
  { title: t`Waiting`, kind: 'amount', cell: ({ waiting }) => String(waiting) },
  { title: t`Memory, models`, kind: 'amount', cell: ({ modelMemoryBytes }) => byteText(modelMemoryBytes) },
]

/** For owners: what the service does now, how the machine is doing, and the limits it keeps. */
export function ServicePage(): VNode {
  const readings = useSignal<readonly ServiceReading[]>([])
  const { resource, reload } = useResource(async (signal) => {
    const [health, metrics] = await Promise.all([
      request<ServiceHealth>('/console/api/service', { signal }),
      send('/metrics', { signal }).then((answer) => answer.text()),
      loadModels(signal),
    ])
    const reading = { at: Date.now(), health, metrics: readMetrics(metrics) }
    readings.value = [...readings.peek(), reading].slice(-mostReadings)
    return health
  }, [])
  useRepeat(
    useCallback(() => void reload(), []),
    refreshMs,
  )
  return (
    <Page title={t`Service`} intro={t`What this node does now, and the limits it keeps. The lines show the last two minutes.`}>
      <Loaded resource={resource} retry={() => void reload()}>
        {(health) => (
          <>
            <LiveBoard readings={readings.value} />
            <section class="stack">
              <h2>{t`Models`}</h2>
              <ModelLedger />
            </section>
            <dl class="sheet facts large">
              <Fact term={t`Up for`} value={durationText(health.uptimeMs)} />
              <Fact term={t`Memory, this process`} value={byteText(health.memoryBytes)} />
              <Fact term={t`Memory, models`} value={byteText(health.modelMemoryBytes)} />
              <Fact term={t`Free on the machine`} value={byteText(health.freeMemoryBytes)} />
              <Fact term={t`Load, one minute`} value={t`${decimalText(health.load, 2, 2)} of ${health.cores}`} />
            </dl>
            {health.nodes.length > 0 && (
              <section class="stack">
                <h2>{t`Nodes`}</h2>
                <Ledger label={t`Nodes`} columns={nodeColumns} rows={health.nodes} keyOf={({ id }) => id} />
              </section>
            )}
            <section class="stack">
              <h2>{t`Limits`}</h2>
              <Ledger label={t`Limits`} columns={limitColumns} rows={health.limits} keyOf={({ name }) => name} />
              <p class="faint">{t.rich`Sepia ${health.version} on Node.js ${health.nodeVersion}, ${health.platform}. Limits are settings of
                the start; see ${<code>sepia config</code>}.`}</p>
            </section>
          </>
        )}
      </Loaded>
    </Page>
  )
}

function Fact({ term, value }: { term: string; value: string }): VNode {
  return (
    <div>
      <dt>{term}</dt>
      <dd>{value}</dd>
    </div>
  )
}
