import type { VNode } from 'preact'
import { useCallback } from 'preact/hooks'
import type { ServiceHealth } from '../../../contract/service.ts'
import { request } from '../../interface/request.ts'
import { byteText } from '../../parts/byte-text.ts'
import { durationText } from '../../parts/duration-text.ts'
import { Loaded } from '../../parts/loaded.tsx'
import { Page } from '../../parts/page.tsx'
import { useRepeat } from '../../state/repeat.ts'
import { useResource } from '../../state/resource.ts'

const refreshMs = 3000

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
              <div class="sheet flush">
                <table class="ledger">
                  <thead>
                    <tr>
                      <th scope="col">What</th>
                      <th scope="col" class="amount">
                        At most
                      </th>
                    </tr>
                  </thead>
                  <tbody>
                    {health.limits.map((limit) => (
                      <tr key={limit.name}>
                        <td>{limit.name}</td>
                        <td class="amount">{limit.value}</td>
                      </tr>
                    ))}
                  </tbody>
                </table>
              </div>
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
