import type { VNode } from 'preact'
import { useCallback } from 'preact/hooks'
import type { ServiceHealth, ServiceLimit } from '../../../contract/service.ts'
import { request } from '../../interface/request.ts'
import { byteText } from '../../parts/byte-text.ts'
import { durationText } from '../../parts/duration-text.ts'
import { type Column, Ledger } from '../../parts/ledger.tsx'
import { Loaded } from '../../parts/loaded.tsx'
import { Page } from '../../parts/page.tsx'
import { useRepeat } from '../../state/repeat.ts'
import { useResource } from '../../state/resource.ts'

const refreshMs = 3000
const limitColumns: readonly Column<ServiceLimit>[] = [
  { title: 'What', kind: 'lead', cell: ({ name }) => name },
  { title: 'At most', kind: 'amount', cell: ({ value }) => value },
]

/** For owners: how the machine is doing, and the limits it keeps. */
export function ServicePage(): VNode {
  const { resource, reload } = useResource((signal) => request<ServiceHealth>('/console/api/service', { signal }), [])
  useRepeat(
    useCallback(() => void reload(), []),
    refreshMs,
  )
  return (
    <Page title="Service" intro="This node, now, and the limits it keeps.">
      <Loaded resource={resource} retry={() => void reload()}>
        {(health) => (
          <>
            <dl class="sheet facts large">
              <Fact term="Up for" value={durationText(health.uptimeMs)} />
              <Fact term="Memory, this process" value={byteText(health.memoryBytes)} />
              <Fact term="Memory, models" value={byteText(health.modelMemoryBytes)} />
              <Fact term="Free on the machine" value={byteText(health.freeMemoryBytes)} />
              <Fact term="Load, one minute" value={`${health.load.toFixed(2)} of ${health.cores}`} />
            </dl>
            <section class="stack">
              <h2>Limits</h2>
              <Ledger label="Limits" columns={limitColumns} rows={health.limits} keyOf={({ name }) => name} />
              <p class="faint">
                Sepia {health.version} on Node.js {health.nodeVersion}, {health.platform}. Limits are settings of the start; see{' '}
                <code>sepia config</code>.
              </p>
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
