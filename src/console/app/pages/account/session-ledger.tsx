import type { VNode } from 'preact'
import type { ListedSession, SessionList } from '../../../contract/sessions.ts'
import { request, send } from '../../interface/request.ts'
import { Button } from '../../parts/button.tsx'
import { type Column, Ledger } from '../../parts/ledger.tsx'
import { Loaded } from '../../parts/loaded.tsx'
import { Moment } from '../../parts/moment.tsx'
import { useResource } from '../../state/resource.ts'
import { showToast } from '../../state/toasts.ts'
import { browserName } from './browser-name.ts'

async function listSessions(signal?: AbortSignal): Promise<readonly ListedSession[]> {
  return (await request<SessionList>('/console/api/sessions', { signal })).sessions
}

/** The browsers that are signed in to this account, and the way to sign them out. */
export function SessionLedger(): VNode {
  const { resource, reload } = useResource(listSessions, [])
  const end = async (path: string, told: string) => {
    await send(path, { method: 'DELETE' })
    showToast(told)
    await reload()
  }
  const columns: readonly Column<ListedSession>[] = [
    { title: 'Browser', kind: 'lead', cell: ({ agent, current }) => <BrowserName agent={agent} current={current} /> },
    { title: 'Address', cell: ({ address }) => address ?? '–' },
    { title: 'Signed in', cell: ({ createdAt }) => <Moment at={createdAt} /> },
    { title: 'Last used', cell: ({ lastUsedAt }) => (lastUsedAt === null ? '–' : <Moment at={lastUsedAt} />) },
    {
      title: 'Actions',
      kind: 'actions',
      cell: ({ id, current }) =>
        current ? null : (
          <Button tone="quiet" size="small" onClick={() => end(`/console/api/sessions/${id}`, 'That browser was signed out.')}>
            Sign out
          </Button>
        ),
    },
  ]
  return (
    <section class="stack" aria-label="Signed-in browsers">
      <h2>Signed-in browsers</h2>
      <Loaded resource={resource} retry={() => void reload()}>
        {(sessions) => (
          <>
            <Ledger label="Signed-in browsers" columns={columns} rows={sessions} keyOf={({ id }) => id} />
            {sessions.length > 1 ? (
              <div>
                <Button onClick={() => end('/console/api/sessions', 'Every other browser was signed out.')}>Sign out all others</Button>
              </div>
            ) : null}
          </>
        )}
      </Loaded>
    </section>
  )
}

function BrowserName({ agent, current }: Pick<ListedSession, 'agent' | 'current'>): VNode {
  return (
    <>
      <span title={agent ?? undefined}>{agent === null ? 'Unknown' : browserName(agent)}</span>{' '}
      {current ? <span class="faint">this browser</span> : null}
    </>
  )
}
