import type { VNode } from 'preact'
import type { Invitation } from '../../../../core/account.ts'
import { send, sentenceOf } from '../../interface/request.ts'
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
  return (
    <section class="stack">
      <h2>Open invitations</h2>
      <div class="sheet flush">
        <table class="ledger folds">
          <thead>
            <tr>
              <th scope="col">For</th>
              <th scope="col">Made</th>
              <th scope="col">Ends</th>
              <th scope="col">
                <span class="hidden-text">Actions</span>
              </th>
            </tr>
          </thead>
          <tbody>
            {invitations.map((invitation) => (
              <tr key={invitation.hash}>
                <td class="lead">{invitation.role === 'owner' ? 'An owner' : 'A member'}</td>
                <td data-label="Made">
                  <Moment at={invitation.createdAt} />
                </td>
                <td data-label="Ends">
                  <Moment at={invitation.expiresAt} />
                </td>
                <td class="actions">
                  <button type="button" class="button danger small" onClick={() => void withdraw(invitation)}>
                    Withdraw
                  </button>
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
    </section>
  )
}
