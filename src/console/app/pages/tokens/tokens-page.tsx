import { useSignal } from '@preact/signals'
import type { VNode } from 'preact'
import { type UseLimits, useLimitNames } from '../../../../core/limits/use-limits.ts'
import type { ListedToken } from '../../../contract/access-tokens.ts'
import { t } from '../../language/t.ts'
import { Button } from '../../parts/button.tsx'
import { EmptyState } from '../../parts/empty-state.tsx'
import { LimitsDialog } from '../../parts/limits/limits-dialog.tsx'
import { Loaded } from '../../parts/loaded.tsx'
import { Page } from '../../parts/page.tsx'
import { useResource } from '../../state/resource.ts'
import { NewTokenDialog } from './new-token-dialog.tsx'
import { TokenLedger } from './token-ledger.tsx'
import { limitToken, listTokens } from './token-requests.ts'
import { TokenShown } from './token-shown.tsx'

/** The account's access tokens. */
export function TokensPage(): VNode {
  const { resource, reload } = useResource(listTokens, [])
  const making = useSignal(false)
  const limiting = useSignal<ListedToken | null>(null)
  const shown = useSignal<string | null>(null)
  const make = (
    <Button
      tone="primary"
      icon="plus"
      onClick={() => {
        making.value = true
      }}
    >{t`New token`}</Button>
  )
  return (
    <Page
      title={t`Access tokens`}
      intro={t.rich`Programs use a token to call this service. Give each program its own. The ${<a href="/docs/api">{t`API reference`}</a>} lists what they can send.`}
      actions={make}
    >
      {shown.value ? <TokenShown text={shown.value} onDone={() => (shown.value = null)} /> : null}
      <Loaded resource={resource} retry={reload}>
        {({ tokens, openOnLoopback }) => (
          <>
            {openOnLoopback ? (
              <p class="note warn">{t`Programs on this service’s machine need no token; they act as the owner (open-on-loopback).`}</p>
            ) : null}
            {tokens.length > 0 ? (
              <TokenLedger tokens={tokens} reload={reload} limit={(token) => (limiting.value = token)} />
            ) : (
              <EmptyState drawing="key" title={t`No tokens yet`}>
                <p>{t`Create one to let your programs use the models.`}</p>
                <div class="row">{make}</div>
              </EmptyState>
            )}
          </>
        )}
      </Loaded>
      {limiting.value ? (
        <LimitsDialog
          title={t`Limits of “${limiting.value.name}”`}
          limits={limiting.value.limits}
          names={useLimitNames}
          empty={t`Leave a field empty to use your account’s limit.`}
          save={saveLimits(limiting.value)}
          onClose={() => {
            limiting.value = null
            void reload()
          }}
        />
      ) : null}
      {making.value ? (
        <NewTokenDialog
          onClose={() => {
            making.value = false
          }}
          onCreated={(text) => {
            making.value = false
            shown.value = text
            void reload()
          }}
        />
      ) : null}
    </Page>
  )
}

function saveLimits({ id, limits }: ListedToken): (changes: Partial<UseLimits>) => Promise<void> {
  return (changes) => limitToken(id, { ...limits, ...changes })
}
