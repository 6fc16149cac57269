import type { VNode } from 'preact'
import type { ListedRequest } from '../../../contract/requests.ts'
import { wholeText } from '../../language/formats.ts'
import { t } from '../../language/t.ts'
import { Clipped } from '../../parts/clipped.tsx'
import { durationText } from '../../parts/duration-text.ts'
import { Icon, type IconName } from '../../parts/icon.tsx'
import { type Column, Ledger } from '../../parts/ledger.tsx'
import { Moment } from '../../parts/moment.tsx'
import { StatusMark } from '../../parts/status-mark.tsx'
import { Thumbnail } from '../../parts/thumbnail.tsx'
import { kindTexts } from './request-facts.tsx'
import { progressText } from './timeline-events.ts'

const shortIdLength = 8
/** In place of a picture. */
const kindIcons: Readonly<Record<ListedRequest['kind'], IconName>> = {
  image: 'image',
  chat: 'chat',
  completion: 'chat',
  embedding: 'chart',
  rerank: 'list',
}
const plain: readonly Column<ListedRequest>[] = [
  { title: t`Request`, kind: 'lead', cell: (request) => <Lead request={request} /> },
  { title: t`Status`, cell: (request) => <Status request={request} /> },
  {
    title: t`Model`,
    cell: ({ model }) => <Clipped text={model} />,
  },
  {
    title: t`Token`,
    cell: ({ token }) => (token === null ? <span class="faint">{t`console`}</span> : <Clipped text={token} />),
  },
  { title: t`Sent`, cell: ({ at }) => <Moment at={at} /> },
  { title: t`Duration`, kind: 'amount', cell: took },
]
const who: Column<ListedRequest> = {
  title: t`Who`,
  cell: ({ account }) => <Clipped text={account} />,
}

/** Requests as rows, each linked to its page. */
export function RequestLedger({ requests }: { requests: readonly ListedRequest[] }): VNode {
  const columns = requests.some(({ account }) => account !== null) ? [...plain.slice(0, 2), who, ...plain.slice(2)] : plain
  return <Ledger label={t`Requests`} columns={columns} rows={requests} keyOf={({ key }) => key} crowded />
}

function Lead({ request: { id, key, kind, excerpt, picture, inference } }: { request: ListedRequest }): VNode {
  const short = (
    <code class="faint" title={id}>
      {id.length > 2 * shortIdLength ? `…${id.slice(-shortIdLength)}` : id}
    </code>
  )
  return (
    <span class="request-lead">
      {picture === null ? (
        <span class="request-picture">
          <Icon name={kindIcons[kind]} />
        </span>
      ) : (
        <Thumbnail class="request-picture" address={picture} alt="" across={40} />
      )}
      <span>
        <a href={`/console/requests/${encodeURIComponent(inference === null ? key : id)}`}>
          <span class="request-words" dir="auto">
            {excerpt || kindTexts[kind]}
          </span>
        </a>
        {short}
      </span>
    </span>
  )
}

function Status({ request: { inference, result } }: { request: ListedRequest }): VNode {
  if (result !== null)
    return (
      <span class="row">
        <StatusMark inference={{ status: 'completed', outcome: result.outcome }} />
        <span class="faint numbers">{amounts(result)}</span>
      </span>
    )
  if (inference === null) return <span class="faint">{t`deleted`}</span>
  const { status, queuePosition, progress } = inference
  const detail =
    status === 'pending' && queuePosition ? t`number ${queuePosition}` : status === 'running' && progress ? progressText(progress) : ''
  return (
    <span class="row">
      <StatusMark inference={inference} />
      <span class="faint numbers">{detail}</span>
    </span>
  )
}

function amounts({ promptTokens, completionTokens, images }: NonNullable<ListedRequest['result']>): string {
  if (images > 0) return t.count(images, { one: '# image', other: '# images' })
  return promptTokens + completionTokens === 0 ? '' : t`${wholeText(promptTokens)} tokens in, ${wholeText(completionTokens)} out`
}

function took({ result, inference }: ListedRequest): string {
  if (result !== null) return durationText(result.durationMs)
  const { startedAt = null, completedAt = null } = inference ?? {}
  return startedAt !== null && completedAt !== null ? durationText(completedAt - startedAt) : '–'
}
