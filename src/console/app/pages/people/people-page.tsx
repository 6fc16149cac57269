import { type Signal, useSignal } from '@preact/signals'
import type { VNode } from 'preact'
import type { Account } from '../../../../core/account.ts'
import { type AccountLimits, limitNames } from '../../../../core/limits/use-limits.ts'
import type { AccountUpdate, People } from '../../../contract/people.ts'
import { request, send } from '../../interface/request.ts'
import { t } from '../../language/t.ts'
import { Button } from '../../parts/button.tsx'
import { LimitsDialog } from '../../parts/limits/limits-dialog.tsx'
import { Loaded } from '../../parts/loaded.tsx'
import { Page } from '../../parts/page.tsx'
import { useResource } from '../../state/resource.ts'
import { AccountLedger } from './account-ledger.tsx'
import { type AccountQuestion, AccountQuestionDialog } from './account-question.tsx'
import { InvitationLedger } from './invitation-ledger.tsx'
import { InviteDialog } from './invite-dialog.tsx'
import { RequestLogDialog } from './request-log-dialog.tsx'

/** Accounts and invitations, for owners. */
export function PeoplePage({ account }: { account: Account }): VNode {
  const { resource, reload } = useResource((signal) => request<People>('/console/api/people', { signal }), [])
  const inviting = useSignal<{ readonly account: Account | null } | null>(null)
  const limiting = useSignal<Account | null>(null)
  const logging = useSignal<Account | null>(null)
  const asking = useSignal<AccountQuestion | null>(null)
  /** Closes what a dialog shows now: an answer that comes after Escape must not close a later one. */
  const closing = (dialog: Signal<object | null>) => {
    const shown = dialog.value
    return () => {
      if (dialog.peek() === shown) dialog.value = null
      void reload()
    }
  }
  const invite = (
    <Button
      tone="primary"
      icon="plus"
      onClick={() => {
        inviting.value = { account: null }
      }}
    >{t`Invite`}</Button>
  )
  return (
    <Page
      title={t`People`}
      intro={t`Owners invite people and see everybody’s usage, but prompts and conversations only where they turn on the request log. Members see only their own data.`}
      actions={invite}
    >
      <Loaded resource={resource} retry={reload}>
        {({ accounts, invitations, secondFactors, logged }) => (
          <>
            <AccountLedger
              accounts={accounts}
              self={account.id}
              secondFactors={secondFactors}
              logged={logged}
              reload={reload}
              invite={(person) => (inviting.value = { account: person })}
              limit={(person) => (limiting.value = person)}
              log={(person) => (logging.value = person)}
              ask={(question) => (asking.value = question)}
            />
            {invitations.length > 0 ? <InvitationLedger invitations={invitations} accounts={accounts} reload={reload} /> : null}
          </>
        )}
      </Loaded>
      {inviting.value ? <InviteDialog account={inviting.value.account} onClose={closing(inviting)} /> : null}
      {limiting.value ? (
        <LimitsDialog
          title={t`Limits of ${limiting.value.name}`}
          limits={limiting.value.limits}
          names={limitNames}
          empty={t`Leave a field empty to use the service’s default.`}
          save={saveLimits(limiting.value)}
          onClose={closing(limiting)}
        />
      ) : null}
      {logging.value ? <RequestLogDialog account={logging.value} onClose={closing(logging)} /> : null}
      {asking.value ? <AccountQuestionDialog question={asking.value} reload={reload} onClose={() => (asking.value = null)} /> : null}
    </Page>
  )
}

function saveLimits({ id }: Account): (limits: Partial<AccountLimits>) => Promise<void> {
  return async (limits) => {
    await send(`/console/api/accounts/${id}`, { method: 'PATCH', body: { limits } satisfies AccountUpdate })
  }
}
