import type { VNode } from 'preact'
import type { Account } from '../../../../core/account.ts'
import type { AccountUpdate } from '../../../contract/people.ts'
import { send, sentenceOf } from '../../interface/request.ts'
import { ConfirmDialog } from '../../parts/confirm-dialog.tsx'
import { showToast } from '../../state/toasts.ts'

/** A change of an account that is asked about first. */
export interface AccountQuestion {
  readonly account: Account
  readonly change: 'role' | 'lock'
}

interface AccountQuestionProps {
  readonly question: AccountQuestion
  readonly reload: () => Promise<void>
  readonly onClose: () => void
}

/** Asks whether an account's role or right to come in shall change; what was done can be undone for ten seconds. */
export function AccountQuestionDialog({ question: { account, change }, reload, onClose }: AccountQuestionProps): VNode {
  const { title, action, follows, done, update, back } = wordsOf(account, change)
  const set = async (body: AccountUpdate) => {
    await send(`/console/api/accounts/${account.id}`, { method: 'PATCH', body })
    await reload()
  }
  const run = async () => {
    await set(update)
    const undo = () => void set(back).catch((failure: unknown) => showToast(sentenceOf(failure)))
    showToast(done, { label: 'Undo', run: undo })
  }
  return (
    <ConfirmDialog title={title} action={action} run={run} onClose={onClose}>
      {follows}
    </ConfirmDialog>
  )
}

interface Words {
  readonly title: string
  readonly action: string
  readonly follows: string
  readonly done: string
  readonly update: AccountUpdate
  readonly back: AccountUpdate
}

function wordsOf({ name, role }: Account, change: AccountQuestion['change']): Words {
  if (change === 'lock')
    return {
      title: `Lock ${name}?`,
      action: 'Lock',
      follows: `${name} is signed out everywhere, and tokens and open links stop working. Nothing is deleted; unlocking lets the tokens work again.`,
      done: `${name} is locked.`,
      update: { disabled: true },
      back: { disabled: false },
    }
  const becomesOwner = role === 'member'
  return {
    title: becomesOwner ? `Make ${name} an owner?` : `Make ${name} a member?`,
    action: becomesOwner ? 'Make an owner' : 'Make a member',
    follows: becomesOwner
      ? `${name} will invite and lock people, you too, load models and see everybody’s usage.`
      : `${name} will see only their own things. Invitations they made end.`,
    done: becomesOwner ? `${name} is an owner now.` : `${name} is a member now.`,
    update: { role: becomesOwner ? 'owner' : 'member' },
    back: { role },
  }
}
