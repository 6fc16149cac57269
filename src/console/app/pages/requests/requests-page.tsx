import { useSignal } from '@preact/signals'
import type { VNode } from 'preact'
import type { Account } from '../../../../core/account.ts'
import type { RequestQuery } from '../../../contract/requests.ts'
import { listRequests } from '../../interface/inference-requests.ts'
import { t } from '../../language/t.ts'
import { Button } from '../../parts/button.tsx'
import { EmptyState } from '../../parts/empty-state.tsx'
import { Segments } from '../../parts/fields/segments.tsx'
import { SelectField } from '../../parts/fields/select-field.tsx'
import { Loaded } from '../../parts/loaded.tsx'
import { Page } from '../../parts/page.tsx'
import { Pager } from '../../parts/pager.tsx'
import { PromptSearch } from '../../parts/prompt-search.tsx'
import { useResource } from '../../state/resource.ts'
import { RequestLedger } from './request-ledger.tsx'

const refreshMs = 3000
const everything: RequestQuery = { of: 'me', search: null, kind: null, status: null, way: null, after: null }
const ownership = [
  { value: 'me', label: t`Mine` },
  { value: 'everyone', label: t`Everyone’s` },
] as const
const kinds = [
  { value: '', label: t`All` },
  { value: 'image', label: t`Images` },
  { value: 'chat', label: t`Chat` },
  { value: 'completion', label: t`Completions` },
  { value: 'embedding', label: t`Embeddings` },
  { value: 'rerank', label: t`Rankings` },
] as const
const ways = [
  { value: '', label: t`All` },
  { value: 'pending', label: t`Waiting` },
  { value: 'running', label: t`Running` },
  { value: 'completed', label: t`Finished (async)` },
  { value: 'asynchronous', label: t`Asynchronous` },
  { value: 'synchronous', label: t`Synchronous` },
] as const

/** Requests, newest first: the account's own, or for owners everyone's. */
export function RequestsPage({ account }: { account: Account }): VNode {
  const query = useSignal(everything)
  const search = useSignal('')
  const cursor = useSignal<string | null>(null)
  const { resource, reload } = useResource(
    (signal) => listRequests({ ...query.value, search: search.value.trim() || null, after: cursor.value }, signal),
    [query.value, search.value, cursor.value],
    cursor.value === null ? refreshMs : null,
  )
  const change = (next: Partial<RequestQuery>) => {
    query.value = { ...query.value, ...next }
    cursor.value = null
  }
  const { of, kind, status, way } = query.value
  const isNarrowed = search.value.trim() !== '' || kind !== null || status !== null || way !== null
  return (
    <Page
      title={t`Requests`}
      width="wide"
      intro={t`Requests from the console and from your programs. Results of asynchronous requests are kept for 24 hours, prompts for 2 days, entries for 8 days.`}
      actions={
        account.role === 'owner' ? (
          <Segments label={t`Whose`} value={of} options={ownership} onChange={(next) => change({ of: next, status: null })} />
        ) : null
      }
    >
      <div class="filters">
        <PromptSearch search={search} cursor={cursor} />
        <SelectField label={t`Type`} value={kind ?? ''} options={kinds} onChange={(next) => change({ kind: next || null, status: null })} />
        <SelectField
          label={t`Status`}
          value={status ?? way ?? ''}
          options={of === 'me' ? ways : ways.filter(({ value }) => value === '' || value.endsWith('synchronous'))}
          onChange={(next) => change(wayOf(next))}
        />
      </div>
      <Loaded resource={resource} retry={reload}>
        {({ requests, next }) =>
          requests.length > 0 ? (
            <>
              <RequestLedger requests={requests} />
              <Pager cursor={cursor} next={next} />
            </>
          ) : isNarrowed ? (
            <EmptyState drawing="ledger" title={t`No matches`}>
              <p>{t`No recent request matches. Only prompts of asynchronous requests can be searched.`}</p>
            </EmptyState>
          ) : (
            <EmptyState drawing="ledger" title={t`No requests yet`}>
              <p>{t`Send a request, or draw something in the image playground.`}</p>
              <div class="row">
                <Button href="/console/images">{t`Draw something`}</Button>
              </div>
            </EmptyState>
          )
        }
      </Loaded>
    </Page>
  )
}

function wayOf(value: (typeof ways)[number]['value']): Pick<RequestQuery, 'status' | 'way'> {
  if (value === 'asynchronous' || value === 'synchronous') return { status: null, way: value }
  return { status: value || null, way: null }
}
