import type { VNode } from 'preact'
import type { ListedToken } from '../../../contract/access-tokens.ts'
import { sentenceOf } from '../../interface/request.ts'
import { Moment, now } from '../../parts/moment.tsx'
import { showToast } from '../../state/toasts.ts'
import { restoreToken, revokeToken } from './token-requests.ts'

interface TokenLedgerProps {
  readonly tokens: readonly ListedToken[]
  readonly reload: () => Promise<void>
}

/** Every token of the account, those that still work first. */
export function TokenLedger({ tokens, reload }: TokenLedgerProps): VNode {
  const sorted = tokens.toSorted((a, b) => Number(a.revokedAt !== null) - Number(b.revokedAt !== null) || b.createdAt - a.createdAt)
  return (
    <div class="sheet flush">
      <table class="ledger folds">
        <thead>
          <tr>
            <th scope="col">Name</th>
            <th scope="col">Token</th>
            <th scope="col">May</th>
            <th scope="col">Made</th>
            <th scope="col">Last used</th>
            <th scope="col">Ends</th>
            <th scope="col">
              <span class="hidden-text">Actions</span>
            </th>
          </tr>
        </thead>
        <tbody>
          {sorted.map((token) => (
            <TokenRow key={token.id} token={token} reload={reload} />
          ))}
        </tbody>
      </table>
    </div>
  )
}

function TokenRow({ token, reload }: { token: ListedToken; reload: () => Promise<void> }): VNode {
  const revoke = () =>
    act(async () => {
      await revokeToken(token.id)
      showToast(`“${token.name}” is revoked.`, { label: 'Undo', run: () => act(() => restoreToken(token.id), reload) })
    }, reload)
  const over = token.expiresAt !== null && token.expiresAt <= now.value
  return (
    <tr class={token.revokedAt === null ? '' : 'struck'}>
      <td class="lead">
        <span class="struck-name">{token.name}</span>
      </td>
      <td data-label="Token">
        <code>sepia_…{token.hint}</code>
      </td>
      <td data-label="May">{token.scopes.join(', ')}</td>
      <td data-label="Made">
        <Moment at={token.createdAt} />
      </td>
      <td data-label="Last used">{token.lastUsedAt === null ? 'never' : <Moment at={token.lastUsedAt} />}</td>
      <td data-label="Ends">
        {token.expiresAt === null ? 'never' : over ? <span class="mark warn">expired</span> : <Moment at={token.expiresAt} />}
      </td>
      <td class="actions">
        {token.revokedAt === null ? (
          <button type="button" class="button danger small" onClick={() => void revoke()}>
            Revoke<span class="hidden-text"> {token.name}</span>
          </button>
        ) : (
          <span class="mark">revoked</span>
        )}
      </td>
    </tr>
  )
}

async function act(change: () => Promise<void>, reload: () => Promise<void>): Promise<void> {
  try {
    await change()
  } catch (failure) {
    showToast(sentenceOf(failure))
  }
  await reload()
}
