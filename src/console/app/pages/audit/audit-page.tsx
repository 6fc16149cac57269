import { useSignal } from '@preact/signals'
import type { VNode } from 'preact'
import type { NumberedAuditEntry } from '../../../../core/ports/audit-log.ts'
import type { AuditPage as AuditPageOf } from '../../../contract/audit.ts'
import type { People } from '../../../contract/people.ts'
import { request } from '../../interface/request.ts'
import { t } from '../../language/t.ts'
import { Button } from '../../parts/button.tsx'
import { type Column, Ledger } from '../../parts/ledger.tsx'
import { Loaded } from '../../parts/loaded.tsx'
import { Moment } from '../../parts/moment.tsx'
import { Page } from '../../parts/page.tsx'
import { Pager } from '../../parts/pager.tsx'
import { useResource } from '../../state/resource.ts'
import { actionTexts } from './action-texts.ts'

interface NamedPage extends AuditPageOf {
  /** Names of the accounts by their ids. */
  readonly names: ReadonlyMap<string, string>
}

async function readPage(before: string | null, signal?: AbortSignal): Promise<NamedPage> {
  const [page, people] = await Promise.all([
    request<AuditPageOf>(`/console/api/audit${before === null ? '' : `?before=${before}`}`, { signal }),
    request<People>('/console/api/people', { signal }),
  ])
  return { ...page, names: new Map(people.accounts.map(({ id, name }) => [id, name])) }
}

/** For owners: who did what, from where. */
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
    { title: t`From`, cell: ({ address }) => address ?? t`this machine` },
    { title: t`To`, cell: ({ subject }) => (subject === null ? '–' : <Clipped text={names.get(subject) ?? subject} />) },
    { title: t`How`, cell: ({ detail }) => (detail === null ? '–' : <Detail detail={detail} />) },
    { title: t`When`, cell: ({ at }) => <Moment at={at} /> },
  ]
}

const roles: Readonly<Record<string, string>> = { owner: t`owner`, member: t`member` }

/** As the service wrote it down, but for roles. */
function Detail({ detail }: { detail: string }): VNode {
  const role = roles[detail]
  return role === undefined ? <Clipped text={detail} language="en" /> : <Clipped text={role} />
}

function Clipped({ text, language }: { text: string; language?: 'en' }): VNode {
  return (
    <span class="clipped" title={text} lang={language}>
      {text}
    </span>
  )
}
