import { useSignal } from '@preact/signals'
import type { VNode } from 'preact'
import type { ConsoleModel } from '../../../contract/models.ts'
import type { ServiceHealth, ServiceLimit } from '../../../contract/service.ts'
import { request } from '../../interface/request.ts'
import { decimalText } from '../../language/formats.ts'
import { t } from '../../language/t.ts'
import { byteText } from '../../parts/byte-text.ts'
import { Clipped } from '../../parts/clipped.tsx'
import { durationText } from '../../parts/duration-text.ts'
import { Facts } from '../../parts/facts.tsx'
import { type Column, Ledger } from '../../parts/ledger.tsx'
import { Loaded } from '../../parts/loaded.tsx'
import { ModelDot } from '../../parts/models/model-dot.tsx'
import { stateText } from '../../parts/models/model-state-text.ts'
import { Page } from '../../parts/page.tsx'
import { loadModels, modelChoices, models } from '../../state/models.ts'
import { useResource } from '../../state/resource.ts'
import { command } from '../../state/session.ts'
import { LiveBoard, maxReadings } from './live-board.tsx'
import { NodeLedger } from './node-ledger.tsx'
import { limitAmount, limitName } from './service-limit-texts.ts'

const refreshMs = 3000
const limitColumns: readonly Column<ServiceLimit>[] = [
  { title: t`What`, kind: 'lead', cell: limitName },
  { title: t`At most`, kind: 'amount', cell: limitAmount },
]

/** The service's current work, machine and limits, for owners. */
export function ServicePage(): VNode {
  const readings = useSignal<readonly ServiceHealth[]>([])
  const { resource, reload } = useResource(
    async (signal) => {
      const [health] = await Promise.all([request<ServiceHealth>('/console/api/service', { signal }), loadModels(signal)])
      readings.value = [...readings.peek(), health].slice(-maxReadings)
      return health
    },
    [],
    refreshMs,
  )
  return (
    <Page title={t`Service`} intro={t`Live load and limits of all nodes, last two minutes.`}>
      <Loaded resource={resource} retry={reload}>
        {(health) => (
          <>
            <LiveBoard readings={readings.value} />
            {health.nodes.length > 1 ? (
              <section class="stack">
                <h2>{t`Nodes`}</h2>
                <NodeLedger readings={readings.value} />
              </section>
            ) : null}
            <section class="stack">
              <h2>{t`Models`}</h2>
              <ModelLedger />
            </section>
            {health.nodes.length > 1 ? <h2>{t`The node that answered`}</h2> : null}
            <Facts
              class="sheet facts large"
              of={[
                [t`Uptime`, durationText(health.uptimeMs)],
                [t`Memory, this process`, byteText(health.memoryBytes)],
                [t`Memory, models`, byteText(health.modelMemoryBytes)],
                [t`Free on the machine`, byteText(health.freeMemoryBytes)],
                [t.count(health.cores, { one: 'Load average, # core', other: 'Load average, # cores' }), decimalText(health.load, 2, 2)],
              ]}
            />
            <section class="stack">
              <h2>{t`Limits`}</h2>
              <Ledger label={t`Limits`} columns={limitColumns} rows={health.limits} keyOf={({ name }) => name} />
              <p class="faint">{t.rich`Sepia ${health.version} on Node.js ${health.nodeVersion}, ${health.platform}. Limits are set at startup; ${<code>{command} config</code>} shows all settings.`}</p>
            </section>
          </>
        )}
      </Loaded>
    </Page>
  )
}

const columns: readonly Column<ConsoleModel>[] = [
  {
    title: t`Model`,
    kind: 'lead',
    cell: ({ id }) => (
      <Clipped text={id}>
        <ModelDot model={id} /> {modelChoices(models.value ?? []).find(({ value }) => value === id)?.label}
      </Clipped>
    ),
  },
  { title: t`State`, cell: ({ state }) => stateText(state) },
  { title: t`Running`, kind: 'amount', cell: ({ state }) => (state.state === 'loaded' ? t`${state.inUse} of ${state.slots}` : '–') },
  { title: t`Waiting`, kind: 'amount', cell: ({ state }) => String(state.waiting) },
  { title: t`Memory`, kind: 'amount', cell: ({ state }) => (state.memoryBytes > 0 ? byteText(state.memoryBytes) : '–') },
]

/** The state of each model. */
function ModelLedger(): VNode {
  return <Ledger label={t`Models`} columns={columns} rows={models.value ?? []} keyOf={({ id }) => id} />
}
