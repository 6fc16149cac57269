import type { VNode } from 'preact'
import type { ServiceHealth, ServiceNode } from '../../../contract/service.ts'
import { decimalText } from '../../language/formats.ts'
import { t } from '../../language/t.ts'
import { byteText } from '../../parts/byte-text.ts'
import { Clipped } from '../../parts/clipped.tsx'
import { durationText } from '../../parts/duration-text.ts'
import { type Column, Ledger } from '../../parts/ledger.tsx'
import { figuresOfNode, type LiveFigures } from './live-figures.ts'

interface NodeRow extends ServiceNode {
  readonly figures: LiveFigures
}

const roles: Readonly<Record<string, string>> = { all: t`everything`, api: t`answers requests`, worker: t`runs models` }
const roleText = (role: string) => roles[role] ?? role
const timeText = (ms: number | null) => (ms === null ? '–' : durationText(ms))

const columns: readonly Column<NodeRow>[] = [
  {
    title: t`Machine`,
    kind: 'lead',
    cell: ({ host, id }) => (
      <>
        <Clipped text={`${host} ${id}`}>{host}</Clipped> <span class="faint">{id.slice(0, 8)}</span>
      </>
    ),
  },
  { title: t`Does`, cell: ({ role, draining }) => (draining ? t`${roleText(role)}, stopping` : roleText(role)) },
  {
    title: t`Loaded`,
    cell: ({ loaded }) => (loaded.length === 0 ? '–' : loaded.map((model) => <Clipped key={model} text={model} />)),
  },
  { title: t`Tokens/s`, kind: 'amount', cell: ({ figures }) => decimalText(figures.tokensPerSecond, 1) },
  { title: t`Answers begin after`, kind: 'amount', cell: ({ figures }) => timeText(figures.firstTokenMs) },
  { title: t`Time per image step`, kind: 'amount', cell: ({ figures }) => timeText(figures.stepMs) },
  { title: t`Running`, kind: 'amount', cell: ({ inUse, slots }) => t`${inUse} of ${slots}` },
  { title: t`Waiting`, kind: 'amount', cell: ({ waiting }) => String(waiting) },
  { title: t`Memory`, kind: 'amount', cell: ({ figures }) => byteText(figures.memoryBytes) },
  { title: t`Version`, cell: ({ version }) => version },
]

/** The current figures of each node. */
export function NodeLedger({ readings }: { readings: readonly ServiceHealth[] }): VNode {
  const rows = (readings.at(-1)?.nodes ?? []).map((node) => ({ ...node, figures: figuresOfNode(readings, node.id) }))
  return <Ledger label={t`Nodes`} columns={columns} rows={rows} keyOf={({ id }) => id} narrow="scrolls" crowded />
}
