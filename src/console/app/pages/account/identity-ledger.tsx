import { useSignal } from '@preact/signals'
import type { VNode } from 'preact'
import type { OwnSignInWays } from '../../../contract/own-sign-in-ways.ts'
import { send } from '../../interface/request.ts'
import { t } from '../../language/t.ts'
import { Button } from '../../parts/button.tsx'
import { Clipped } from '../../parts/clipped.tsx'
import { FailureNote } from '../../parts/failure-note.tsx'
import { type Column, Ledger } from '../../parts/ledger.tsx'
import { Moment } from '../../parts/moment.tsx'
import { OrganisationButton } from '../../parts/sign-in/organisation-button.tsx'
import { showToast } from '../../state/toasts.ts'

interface IdentityLedgerProps {
  readonly ways: OwnSignInWays
  readonly reload: () => Promise<void>
}

/** The organisation identities that sign in to this account; nothing when there are none and none can be linked. */
export function IdentityLedger({ ways: { identities, organisation }, reload }: IdentityLedgerProps): VNode | null {
  const failure = useSignal<unknown>(null)
  if (organisation === null && identities.length === 0) return null
  const unlink = async (id: string) => {
    failure.value = null
    try {
      await send(`/console/api/identities/${id}`, { method: 'DELETE' })
      showToast(t`Unlinked. It no longer signs in to this account.`)
      await reload()
    } catch (error) {
      failure.value = error
    }
  }
  const columns: readonly Column<OwnSignInWays['identities'][number]>[] = [
    {
      title: t`E-mail`,
      kind: 'lead',
      cell: ({ email }) => <Clipped text={email}>{email ?? t`Unknown`}</Clipped>,
    },
    { title: t`Provider`, cell: ({ issuer }) => new URL(issuer).host },
    { title: t`Linked`, cell: ({ linkedAt }) => <Moment at={linkedAt} /> },
    {
      title: t`Actions`,
      kind: 'actions',
      cell: ({ id }) => <Button tone="quiet" size="small" onClick={() => unlink(id)}>{t`Unlink`}</Button>,
    },
  ]
  return (
    <section class="stack" aria-label={t`Sign-in of your organisation`}>
      <h2>{t`Sign-in of your organisation`}</h2>
      {failure.value ? <FailureNote failure={failure.value} /> : null}
      {identities.length > 0 ? <Ledger label={t`Linked sign-ins`} columns={columns} rows={identities} keyOf={({ id }) => id} /> : null}
      {organisation !== null && identities.length === 0 ? (
        <>
          <p class="soft">{t`After linking, you can use it to sign in to this account.`}</p>
          <OrganisationButton label={organisation} start={{ link: true, page: '/console/account' }} />
        </>
      ) : null}
    </section>
  )
}
