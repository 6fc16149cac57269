import type { VNode } from 'preact'
import { noUseLimits } from '../../../../core/limits/use-limits.ts'
import type { ListedToken } from '../../../contract/access-tokens.ts'
import { t } from '../../language/t.ts'
import { Button } from '../../parts/button.tsx'
import { type Column, Ledger } from '../../parts/ledger.tsx'
import { budgetLines } from '../../parts/limits/budget-facts.tsx'
import { LimitList } from '../../parts/limits/limit-list.tsx'
import { limitLines } from '../../parts/limits/limit-texts.ts'
import { Moment, now } from '../../parts/moment.tsx'
import { showToast } from '../../state/toasts.ts'
import { restoreToken, revokeToken } from './token-requests.ts'

interface TokenLedgerProps {
  readonly tokens: readonly ListedToken[]
  readonly reload: () => Promise<void>
  /** Opens the dialog of a token's limits. */
  readonly limit: (token: ListedToken) => void
}

/** Every token of the account, valid ones first. */
export function TokenLedger({ tokens, reload, limit }: TokenLedgerProps): VNode {
  const sorted = tokens.toSorted((a, b) => Number(a.revokedAt !== null) - Number(b.revokedAt !== null) || b.createdAt - a.createdAt)
  const revoke = async (token: ListedToken) => {
    await revokeToken(token.id).finally(reload)
    showToast(t`“${token.name}” revoked.`, { label: t`Undo`, run: () => restoreToken(token.id).finally(reload) })
  }
  const columns: readonly Column<ListedToken>[] = [
    {
      title: t`Name`,
      kind: 'lead',
      cell: ({ name }) => (
        <span class="clipped struck-name" dir="auto" title={name}>
          {name}
        </span>
      ),
    },
    { title: t`Token`, cell: ({ hint }) => <code>sepia_…{hint}</code> },
    { title: t`Scopes`, cell: (token) => token.scopes.join(', ') },
    { title: t`Limits`, cell: (token) => <TokenLines token={token} /> },
    { title: t`Created`, cell: ({ createdAt }) => <Moment at={createdAt} /> },
    { title: t`Last used`, cell: ({ lastUsedAt }) => (lastUsedAt === null ? t`never` : <Moment at={lastUsedAt} />) },
    { title: t`Expires`, cell: ({ expiresAt }) => <End expiresAt={expiresAt} /> },
    {
      title: t`Actions`,
      kind: 'actions',
      cell: (token) =>
        token.revokedAt === null ? (
          <>
            <Button tone="quiet" size="small" onClick={() => limit(token)} about={t`of ${token.name}`}>{t`Limits`}</Button>
            <Button tone="danger" size="small" onClick={() => revoke(token)} about={token.name}>{t`Revoke`}</Button>
          </>
        ) : (
          <span class="mark">{t`revoked`}</span>
        ),
    },
  ]
  return (
    <Ledger
      label={t`Access tokens`}
      columns={columns}
      rows={sorted}
      keyOf={({ id }) => id}
      isStruck={({ revokedAt }) => revokedAt !== null}
      crowded
    />
  )
}

/** The token's own limits, and what is left of them. */
function TokenLines({ token: { limits, budgets } }: { token: ListedToken }): VNode {
  const left = budgetLines(budgets)
  const lines =
    limits.requestsPerMinute === null ? left : [...limitLines({ ...noUseLimits, requestsPerMinute: limits.requestsPerMinute }), ...left]
  return <LimitList lines={lines} />
}

function End({ expiresAt }: Pick<ListedToken, 'expiresAt'>): VNode {
  if (expiresAt === null) return <>{t`never`}</>
  return expiresAt <= now.value ? <span class="mark warn">{t`expired`}</span> : <Moment at={expiresAt} />
}
