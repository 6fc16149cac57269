import type { VNode } from 'preact'
import type { Account } from '../../../../core/account.ts'
import type { AccountDeletion, AccountUpdate } from '../../../contract/people.ts'
import { send } from '../../interface/request.ts'
import { t } from '../../language/t.ts'
import { ConfirmDialog } from '../../parts/dialog-form.tsx'
import { showToast } from '../../state/toasts.ts'
import { DeleteAccountDialog } from '../account/delete-account-dialog.tsx'

/** A change of an account that needs confirmation. */
export interface AccountQuestion {
  readonly account: Account
  readonly change: 'role' | 'lock' | 'second-factor' | 'deletion'
}

interface AccountQuestionProps {
  readonly question: AccountQuestion
  readonly reload: () => Promise<void>
  readonly onClose: () => void
}

/** Confirms a change of role or lock, which can be undone for ten seconds. */
export function AccountQuestionDialog({ question, reload, onClose }: AccountQuestionProps): VNode {
  const { account, change } = question
  if (change === 'second-factor') return <ResetDialog account={account} reload={reload} onClose={onClose} />
  if (change === 'deletion') return <DeletionDialog account={account} reload={reload} onClose={onClose} />
  const { title, action, follows, done, update, back } = wordsOf(account, change)
  const set = async (body: AccountUpdate) => {
    await send(`/console/api/accounts/${account.id}`, { method: 'PATCH', body })
    await reload()
  }
  const run = async () => {
    await set(update)
    showToast(done, { label: t`Undo`, run: () => set(back) })
  }
  return (
    <ConfirmDialog title={title} action={action} run={run} onClose={onClose}>
      {follows}
    </ConfirmDialog>
  )
}

/** Removes the second factor of a user who lost the app and the recovery codes. It cannot be undone, because the secret is deleted. */
function ResetDialog({
  account: { id, name },
  reload,
  onClose,
}: Omit<AccountQuestionProps, 'question'> & Pick<AccountQuestion, 'account'>): VNode {
  const run = async () => {
    await send(`/console/api/accounts/${id}/second-factor`, { method: 'DELETE' })
    await reload()
    showToast(t`${name} no longer has a second factor.`)
  }
  return (
    <ConfirmDialog
      title={t`Reset the second factor of ${name}?`}
      action={t`Reset`}
      run={run}
      onClose={onClose}
    >{t.rich`The password alone is then enough until ${name} sets up a new one. Make sure that ${name} made this request.`}</ConfirmDialog>
  )
}

function DeletionDialog({
  account: { id, name },
  reload,
  onClose,
}: Omit<AccountQuestionProps, 'question'> & Pick<AccountQuestion, 'account'>): VNode {
  const run = async (body: AccountDeletion) => {
    await send(`/console/api/accounts/${id}/deletion`, { method: 'POST', body })
    await reload()
    showToast(t`The account of ${name} was deleted.`)
    onClose()
  }
  return <DeleteAccountDialog title={t`Delete the account of ${name}?`} name={name} run={run} onClose={onClose} />
}

interface Words {
  readonly title: string
  readonly action: string
  readonly follows: string
  readonly done: string
  readonly update: AccountUpdate
  readonly back: AccountUpdate
}

function wordsOf({ name, role }: Account, change: 'role' | 'lock'): Words {
  if (change === 'lock')
    return {
      title: t`Disable ${name}?`,
      action: t`Disable`,
      follows: t`${name} is signed out everywhere, and tokens and open links stop working. Nothing is deleted; enabling the account lets the tokens work again.`,
      done: t`${name} is disabled.`,
      update: { disabled: true },
      back: { disabled: false },
    }
  const becomesOwner = role === 'member'
  return {
    title: becomesOwner ? t`Make ${name} an owner?` : t`Make ${name} a member?`,
    action: becomesOwner ? t`Make an owner` : t`Make a member`,
    follows: becomesOwner
      ? t`${name} will be able to invite and disable people, including you, load models and see everyone’s usage.`
      : t`${name} will see only their own data. Their invitations stop working.`,
    done: becomesOwner ? t`${name} is now an owner.` : t`${name} is now a member.`,
    update: { role: becomesOwner ? 'owner' : 'member' },
    back: { role },
  }
}
