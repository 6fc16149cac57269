import type { VNode } from 'preact'
import type { Account } from '../../../../core/account.ts'
import type { AccountUpdate } from '../../../contract/people.ts'
import { send } from '../../interface/request.ts'
import { t } from '../../language/t.ts'
import { Button } from '../../parts/button.tsx'
import { Clipped } from '../../parts/clipped.tsx'
import { type Column, Ledger } from '../../parts/ledger.tsx'
import { LimitList } from '../../parts/limits/limit-list.tsx'
import { limitLines } from '../../parts/limits/limit-texts.ts'
import { Moment } from '../../parts/moment.tsx'
import { announce } from '../../state/toasts.ts'
import type { AccountQuestion } from './account-question.tsx'

interface AccountLedgerProps {
  readonly accounts: readonly Account[]
  /** The signed-in owner's id; owners cannot lock themselves. */
  readonly self: string
  /** Ids of the accounts that have a second factor. */
  readonly secondFactors: readonly string[]
  /** Ids of the accounts whose requests are logged. */
  readonly logged: readonly string[]
  readonly reload: () => Promise<void>
  /** Opens the dialog for a link that resets the account's sign-in. */
  readonly invite: (account: Account) => void
  /** Opens the dialog of an account's limits. */
  readonly limit: (account: Account) => void
  /** Opens the dialog of an account's request log. */
  readonly log: (account: Account) => void
  /** Opens the confirmation of a change of role or lock. */
  readonly ask: (question: AccountQuestion) => void
}

/** Every account with its role and limits. */
export function AccountLedger({ accounts, self, secondFactors, logged, reload, invite, limit, log, ask }: AccountLedgerProps): VNode {
  const unlock = async ({ id, name }: Account) => {
    const body: AccountUpdate = { disabled: false }
    await send(`/console/api/accounts/${id}`, { method: 'PATCH', body }).finally(reload)
    announce(t`${name} is enabled.`)
  }
  const columns: readonly Column<Account>[] = [
    {
      title: t`Name`,
      kind: 'lead',
      cell: (account) => (
        <>
          <span class="struck-name clipped" dir="auto" title={account.name}>
            {account.name}
          </span>{' '}
          {account.id === self ? <span class="faint">{t`you`}</span> : null}{' '}
          {logged.includes(account.id) ? <span class="mark warn">{t`logged`}</span> : null}
        </>
      ),
    },
    {
      title: t`E-mail`,
      cell: ({ email }) => (email ? <Clipped text={email} /> : <span class="faint">{t`none`}</span>),
    },
    { title: t`Role`, cell: ({ role }) => (role === 'owner' ? t`owner` : t`member`) },
    { title: t`Limits`, cell: ({ limits }) => <LimitList lines={limitLines(limits)} /> },
    { title: t`Joined`, cell: ({ createdAt }) => <Moment at={createdAt} /> },
    {
      title: t`Actions`,
      kind: 'actions',
      cell: (account) => (
        <>
          {account.disabledAt === null ? (
            <Button tone="quiet" size="small" about={t`of ${account.name}`} onClick={() => limit(account)}>{t`Limits`}</Button>
          ) : null}
          <Button tone="quiet" size="small" onClick={() => log(account)} about={t`of ${account.name}`}>{t`Request log`}</Button>
          {account.id === self ? null : (
            <AccountActions account={account} ask={ask} unlock={unlock} invite={invite} secured={secondFactors.includes(account.id)} />
          )}
        </>
      ),
    },
  ]
  return (
    <Ledger
      label={t`Accounts`}
      columns={columns}
      rows={accounts}
      keyOf={({ id }) => id}
      isStruck={({ disabledAt }) => disabledAt !== null}
      crowded
    />
  )
}

interface AccountActionsProps extends Pick<AccountLedgerProps, 'invite' | 'ask'> {
  readonly account: Account
  readonly unlock: (account: Account) => Promise<void>
  /** Whether it has a second factor. */
  readonly secured: boolean
}

function AccountActions({ account, ask, unlock, invite, secured }: AccountActionsProps): VNode {
  const remove = (
    <Button tone="danger" size="small" onClick={() => ask({ account, change: 'deletion' })} about={account.name}>{t`Delete`}</Button>
  )
  return account.disabledAt === null ? (
    <>
      <Button tone="quiet" size="small" onClick={() => invite(account)} about={t`for ${account.name}`}>{t`Sign-in link`}</Button>
      <Button tone="quiet" size="small" onClick={() => ask({ account, change: 'role' })} about={account.name}>
        {account.role === 'owner' ? t`Make member` : t`Make owner`}
      </Button>
      {secured ? (
        <Button
          tone="quiet"
          size="small"
          onClick={() => ask({ account, change: 'second-factor' })}
          about={t`of ${account.name}`}
        >{t`Reset second factor`}</Button>
      ) : null}
      <Button tone="danger" size="small" onClick={() => ask({ account, change: 'lock' })} about={account.name}>{t`Disable`}</Button>
      {remove}
    </>
  ) : (
    <>
      <Button tone="quiet" size="small" onClick={() => unlock(account)} about={account.name}>{t`Enable`}</Button>
      {remove}
    </>
  )
}
