import type { VNode } from 'preact'
import type { ListedSession, SessionList } from '../../../contract/session.ts'
import { request, send } from '../../interface/request.ts'
import { t } from '../../language/t.ts'
import { Button } from '../../parts/button.tsx'
import { type Column, Ledger } from '../../parts/ledger.tsx'
import { Loaded } from '../../parts/loaded.tsx'
import { Moment } from '../../parts/moment.tsx'
import { useResource } from '../../state/resource.ts'
import { showToast } from '../../state/toasts.ts'
import { browserName } from './browser-name.ts'

/** The browsers that are signed in to this account, which can be signed out. */
export function SessionLedger(): VNode {
  const { resource, reload } = useResource((signal) => request<SessionList>('/console/api/sessions', { signal }), [])
  const end = async (path: string, message: string) => {
    await send(path, { method: 'DELETE' })
    showToast(message)
    await reload()
  }
  const columns: readonly Column<ListedSession>[] = [
    { title: t`Browser`, kind: 'lead', cell: ({ agent, current }) => <BrowserName agent={agent} current={current} /> },
    { title: t`Address`, cell: ({ address }) => address ?? '–' },
    { title: t`Signed in`, cell: ({ createdAt }) => <Moment at={createdAt} /> },
    { title: t`Last used`, cell: ({ lastUsedAt, current }) => (current ? t`now` : lastUsedAt === null ? '–' : <Moment at={lastUsedAt} />) },
    {
      title: t`Actions`,
      kind: 'actions',
      cell: ({ id, current }) =>
        current ? null : (
          <Button
            tone="quiet"
            size="small"
            onClick={() => end(`/console/api/sessions/${id}`, t`That browser was signed out.`)}
          >{t`Sign out`}</Button>
        ),
    },
  ]
  return (
    <section class="stack" aria-label={t`Signed-in browsers`}>
      <h2>{t`Signed-in browsers`}</h2>
      <Loaded resource={resource} retry={reload}>
        {({ sessions }) => (
          <>
            <Ledger label={t`Signed-in browsers`} columns={columns} rows={sessions} keyOf={({ id }) => id} />
            {sessions.length > 1 ? (
              <div>
                <Button
                  onClick={() => end('/console/api/sessions', t`Every other browser was signed out.`)}
                >{t`Sign out all others`}</Button>
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
      <span title={agent ?? undefined}>{agent === null ? t`Unknown` : browserName(agent)}</span>{' '}
      {current ? <span class="faint">{t`this browser`}</span> : null}
    </>
  )
}
