import { useSignal } from '@preact/signals'
import type { VNode } from 'preact'
import type { AuditAction } from '../../../../core/audit-entry.ts'
import type { NumberedAuditEntry } from '../../../../core/ports/audit-log.ts'
import type { AuditPage as AuditPageOf } from '../../../contract/audit.ts'
import type { People } from '../../../contract/people.ts'
import { request } from '../../interface/request.ts'
import { t } from '../../language/t.ts'
import { Button } from '../../parts/button.tsx'
import { Clipped } from '../../parts/clipped.tsx'
import { type Column, Ledger } from '../../parts/ledger.tsx'
import { Loaded } from '../../parts/loaded.tsx'
import { Moment } from '../../parts/moment.tsx'
import { Page } from '../../parts/page.tsx'
import { Pager } from '../../parts/pager.tsx'
import { useResource } from '../../state/resource.ts'
import { detailText } from './audit-detail.ts'

/** Descriptions of the actions. */
const actionTexts: Readonly<Record<AuditAction, string>> = {
  'signed-in': t`signed in`,
  'signed-out': t`signed out`,
  'sessions-ended': t`sessions ended`,
  joined: t`joined`,
  'sign-in-changed': t`sign-in changed`,
  'identity-linked': t`identity linked`,
  'identity-unlinked': t`identity unlinked`,
  'passkey-added': t`passkey added`,
  'passkey-removed': t`passkey removed`,
  'second-factor-set': t`second factor set`,
  'second-factor-removed': t`second factor removed`,
  'recovery-codes-renewed': t`recovery codes renewed`,
  'recovery-code-used': t`recovery code used`,
  'account-created': t`account created`,
  'account-changed': t`account changed`,
  'account-deleted': t`account deleted`,
  'link-made': t`link created`,
  'invitation-made': t`invitation created`,
  'invitation-withdrawn': t`invitation withdrawn`,
  'token-created': t`token created`,
  'token-limited': t`token limited`,
  'token-revoked': t`token revoked`,
  'token-restored': t`token restored`,
  'webhook-secret-rotated': t`webhook secret rotated`,
  'request-log-on': t`request log on`,
  'request-log-off': t`request log off`,
  'request-log-read': t`request log read`,
  'request-log-deleted': t`request log deleted`,
  'request-log-key-made': t`request log key created`,
  'model-loaded': t`model loaded`,
  'model-unloaded': t`model unloaded`,
  'model-pulled': t`model pull started`,
  'model-pull-removed': t`model pull removed`,
  'model-removed': t`model removed`,
}

interface NamedPage extends AuditPageOf {
  /** Names of accounts and access tokens by id. */
  readonly names: ReadonlyMap<string, string>
}

async function readPage(before: string | null, signal?: AbortSignal): Promise<NamedPage> {
  const [page, people] = await Promise.all([
    request<AuditPageOf>(`/console/api/audit${before === null ? '' : `?before=${before}`}`, { signal }),
    request<People>('/console/api/people', { signal }),
  ])
  return { ...page, names: new Map([...people.accounts, ...page.tokens].map(({ id, name }) => [id, name])) }
}

/** The audit log, for owners: actions, accounts and addresses. */
export function AuditPage(): VNode {
  const cursor = useSignal<string | null>(null)
  const { resource, reload } = useResource((signal) => readPage(cursor.value, signal), [cursor.value])
  const download = (
    <div class="row">
      <Button icon="download" href="/console/api/audit.csv" download>{t`All as CSV`}</Button>
      <Button icon="download" href="/console/api/audit.json" download>{t`All as JSON`}</Button>
    </div>
  )
  return (
    <Page title={t`Audit log`} intro={t`Who did what, and from where. Entries can’t be changed or deleted.`} actions={download}>
      <Loaded resource={resource} retry={reload}>
        {({ entries, names, next }) => (
          <>
            <Ledger label={t`Audit log`} columns={columnsWith(names)} rows={entries} keyOf={({ number }) => String(number)} crowded />
            <Pager cursor={cursor} next={next} />
          </>
        )}
      </Loaded>
    </Page>
  )
}

function columnsWith(names: ReadonlyMap<string, string>): readonly Column<NumberedAuditEntry>[] {
  return [
    { title: t`What`, kind: 'lead', cell: ({ action }) => actionTexts[action] },
    { title: t`Who`, cell: ({ accountId }) => <Clipped text={accountId === null ? t`Operator` : (names.get(accountId) ?? accountId)} /> },
    { title: t`IP address`, cell: ({ address }) => address ?? t`this machine` },
    { title: t`Target`, cell: ({ subject }) => (subject === null ? '–' : <Clipped text={names.get(subject) ?? subject} />) },
    { title: t`Details`, cell: ({ action, detail }) => (detail === null ? '–' : <Detail action={action} detail={detail} names={names} />) },
    { title: t`When`, cell: ({ at }) => <Moment at={at} /> },
  ]
}

/** The detail as recorded, except that changes and fixed words are described in the page's language. */
function Detail({ action, detail, names }: { action: AuditAction; detail: string; names: ReadonlyMap<string, string> }): VNode {
  const text = detailText({ action, detail }, names)
  return text === null ? <Clipped text={detail} language="en" /> : <Clipped text={text} />
}
