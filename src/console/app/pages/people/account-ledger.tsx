import type { VNode } from 'preact'
import type { Account } from '../../../../core/account.ts'
import type { AccountUpdate } from '../../../contract/people.ts'
import { send, sentenceOf } from '../../interface/request.ts'
import { Moment } from '../../parts/moment.tsx'
import { showToast } from '../../state/toasts.ts'
import { limitLines } from './limit-lines.ts'

interface AccountLedgerProps {
  readonly accounts: readonly Account[]
  /** The signed-in owner's id; owners cannot lock themselves out. */
  readonly self: string
  readonly reload: () => Promise<void>
  /** Makes a link with which somebody sets a new sign-in. */
  readonly invite: (account: Account) => void
  /** Asks how much an account may use. */
  readonly limit: (account: Account) => void
}

/** Every account with its role and limits. */
export function AccountLedger({ accounts, self, reload, invite, limit }: AccountLedgerProps): VNode {
  const change = async (account: Account, body: AccountUpdate) => {
    try {
      await send(`/console/api/accounts/${account.id}`, { method: 'PATCH', body })
    } catch (failure) {
      showToast(sentenceOf(failure))
    }
    await reload()
  }
  return (
    <div class="sheet flush ledger-scroll">
      <table class="ledger folds crowded">
        <thead>
          <tr>
            <th scope="col">Name</th>
            <th scope="col">E-mail</th>
            <th scope="col">Role</th>
            <th scope="col">Limits</th>
            <th scope="col">Since</th>
            <th scope="col">
              <span class="hidden-text">Actions</span>
            </th>
          </tr>
        </thead>
        <tbody>
          {accounts.map((account) => (
            <tr key={account.id} class={account.disabledAt === null ? '' : 'struck'}>
              <td class="lead">
                <span class="struck-name">{account.name}</span> {account.id === self ? <span class="faint">you</span> : null}
              </td>
              <td data-label="E-mail">{account.email ?? <span class="faint">tokens only</span>}</td>
              <td data-label="Role">{account.role}</td>
              <td data-label="Limits">
                <LimitLines limits={account.limits} />
              </td>
              <td data-label="Since">
                <Moment at={account.createdAt} />
              </td>
              <td class="actions">
                {account.disabledAt === null ? <LimitsButton account={account} limit={limit} /> : null}
                {account.id === self ? null : <AccountActions account={account} change={change} invite={invite} />}
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  )
}

function LimitLines({ limits }: Pick<Account, 'limits'>): VNode {
  const lines = limitLines(limits)
  if (lines.length === 0) return <span class="faint">none</span>
  return (
    <ul class="lines">
      {lines.map((line) => (
        <li key={line}>{line}</li>
      ))}
    </ul>
  )
}

function LimitsButton({ account, limit }: { account: Account; limit: (account: Account) => void }): VNode {
  return (
    <button type="button" class="button quiet small" onClick={() => limit(account)}>
      Limits<span class="hidden-text"> of {account.name}</span>
    </button>
  )
}

interface AccountActionsProps {
  readonly account: Account
  readonly invite: (account: Account) => void
  readonly change: (account: Account, body: AccountUpdate) => Promise<void>
}

function AccountActions({ account, change, invite }: AccountActionsProps): VNode {
  const other = account.role === 'owner' ? 'member' : 'owner'
  return account.disabledAt === null ? (
    <>
      <button type="button" class="button quiet small" onClick={() => invite(account)}>
        Sign-in link<span class="hidden-text"> for {account.name}</span>
      </button>
      <button type="button" class="button quiet small" onClick={() => void change(account, { role: other })}>
        Make {other}
      </button>
      <button type="button" class="button danger small" onClick={() => void change(account, { disabled: true })}>
        Lock<span class="hidden-text"> {account.name}</span>
      </button>
    </>
  ) : (
    <button type="button" class="button quiet small" onClick={() => void change(account, { disabled: false })}>
      Unlock<span class="hidden-text"> {account.name}</span>
    </button>
  )
}
