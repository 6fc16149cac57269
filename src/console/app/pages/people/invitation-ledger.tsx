import type { VNode } from 'preact'
import type { Account, Invitation } from '../../../../core/account.ts'
import { send } from '../../interface/request.ts'
import { t } from '../../language/t.ts'
import { Button } from '../../parts/button.tsx'
import { Clipped } from '../../parts/clipped.tsx'
import { type Column, Ledger } from '../../parts/ledger.tsx'
import { Moment } from '../../parts/moment.tsx'
import { announce } from '../../state/toasts.ts'

interface InvitationLedgerProps {
  readonly invitations: readonly Invitation[]
  /** All accounts, for the names of senders and recipients. */
  readonly accounts: readonly Account[]
  readonly reload: () => Promise<void>
}

/** Unused invitations. */
export function InvitationLedger({ invitations, accounts, reload }: InvitationLedgerProps): VNode {
  const nameOf = (wanted: string | null) => accounts.find(({ id }) => id === wanted)?.name ?? null
  const withdraw = async (invitation: Invitation) => {
    await send(`/console/api/invitations/${invitation.hash}`, { method: 'DELETE' }).finally(reload)
    announce(t`Invitation withdrawn.`)
  }
  const columns: readonly Column<Invitation>[] = [
    { title: t`For`, kind: 'lead', cell: (invitation) => <Clipped text={describeInvitee(invitation, nameOf(invitation.accountId))} /> },
    { title: t`Created by`, cell: ({ invitedBy }) => <Clipped text={nameOf(invitedBy) ?? t`the first start`} /> },
    { title: t`Created`, cell: ({ createdAt }) => <Moment at={createdAt} /> },
    { title: t`Expires`, cell: ({ expiresAt }) => <Moment at={expiresAt} /> },
    {
      title: t`Actions`,
      kind: 'actions',
      cell: (invitation) => <Button tone="danger" size="small" onClick={() => withdraw(invitation)}>{t`Withdraw`}</Button>,
    },
  ]
  return (
    <section class="stack">
      <h2>{t`Open invitations`}</h2>
      <Ledger label={t`Open invitations`} columns={columns} rows={invitations} keyOf={({ hash }) => hash} />
    </section>
  )
}

function describeInvitee({ role, note }: Invitation, name: string | null): string {
  if (name !== null) return t`${name}, new sign-in`
  const invitee = role === 'owner' ? t`A new owner` : t`A new member`
  return note === null ? invitee : `${note} · ${invitee}`
}
