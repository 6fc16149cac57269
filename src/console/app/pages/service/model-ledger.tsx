import type { VNode } from 'preact'
import type { ConsoleModel } from '../../../contract/models.ts'
import { t } from '../../language/t.ts'
import { byteText } from '../../parts/byte-text.ts'
import { type Column, Ledger } from '../../parts/ledger.tsx'
import { ModelDot } from '../../parts/models/model-dot.tsx'
import { stateText } from '../../parts/models/model-state-text.ts'
import { modelChoices, models } from '../../state/models.ts'

const columns: readonly Column<ConsoleModel>[] = [
  {
    title: t`Model`,
    kind: 'lead',
    cell: ({ id }) => (
      <span class="clipped" title={id}>
        <ModelDot model={id} /> {modelChoices(models.value ?? []).find(({ value }) => value === id)?.label}
      </span>
    ),
  },
  { title: t`State`, cell: ({ state }) => stateText(state) },
  { title: t`Running`, kind: 'amount', cell: ({ state }) => (state.state === 'loaded' ? t`${state.inUse} of ${state.slots}` : '–') },
  { title: t`Waiting`, kind: 'amount', cell: ({ state }) => String(state.waiting) },
  { title: t`Memory`, kind: 'amount', cell: ({ state }) => (state.memoryBytes > 0 ? byteText(state.memoryBytes) : '–') },
]

/** How each model stands. */
export function ModelLedger(): VNode {
  return <Ledger label={t`Models`} columns={columns} rows={models.value ?? []} keyOf={({ id }) => id} />
}
