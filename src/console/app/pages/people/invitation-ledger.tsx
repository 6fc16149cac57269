import type { VNode } from 'preact'
import type { Invitation } from '../../../../core/account.ts'
import { send, sentenceOf } from '../../interface/request.ts'
import { Button } from '../../parts/button.tsx'
import { type Column, Ledger } from '../../parts/ledger.tsx'
import { Moment } from '../../parts/moment.tsx'
import { showToast } from '../../state/toasts.ts'

/** Invitations that nobody has used yet. */
export function InvitationLedger({ invitations, reload }: { invitations: readonly Invitation[]; reload: () => Promise<void> }): VNode {
  const withdraw = async (invitation: Invitation) => {
    try {
      await send(`/console/api/invitations/${invitation.hash}`, { method: 'DELETE' })
    } catch (failure) {
      showToast(sentenceOf(failure))
    }
    await reload()
  }
  const columns: readonly Column<Invitation>[] = [
    { title: 'For', kind: 'lead', cell: ({ role }) => (role === 'owner' ? 'An owner' : 'A member') },
    { title: 'Made', cell: ({ createdAt }) => <Moment at={createdAt} /> },
    { title: 'Ends', cell: ({ expiresAt }) => <Moment at={expiresAt} /> },
    {
      title: 'Actions',
      kind: 'actions',
      cell: (invitation) => (
        <Button tone="danger" size="small" onClick={() => withdraw(invitation)}>
          Withdraw
        </Button>
      ),
    },
  ]
  return (
    <section class="stack">
      <h2>Open invitations</h2>
      <Ledger label="Open invitations" columns={columns} rows={invitations} keyOf={({ hash }) => hash} />
    </section>
  )
}
