import { useSignal } from '@preact/signals'
import type { VNode } from 'preact'
import { parseRecord } from '../../../../core/json-value.ts'
import { bodyParts } from '../../../../core/requests/logged-body.ts'
import type { ShownBody } from '../../../contract/request-logs.ts'
import type { RequestCall } from '../../../contract/requests.ts'
import { bodiesPath, showBodies } from '../../interface/inference-requests.ts'
import { readJson } from '../../interface/read-json.ts'
import { t } from '../../language/t.ts'
import { Button } from '../../parts/button.tsx'
import { byteText } from '../../parts/byte-text.ts'
import { Loaded } from '../../parts/loaded.tsx'
import { useResource } from '../../state/resource.ts'
import { RequestInput } from './request-call.tsx'

const titles = { request: t`Request`, answer: t`Answer` } as const

/** The logged bodies of a request, loaded on demand. */
export function RequestBodies({ id }: { id: string }): VNode {
  const open = useSignal(false)
  return open.value ? (
    <Bodies id={id} />
  ) : (
    <section class="sheet stack" aria-label={t`Request log`}>
      <p class="soft">{t`The request log holds the request and the answer. Viewing them is recorded in the audit log.`}</p>
      <div>
        <Button size="small" onClick={() => (open.value = true)}>{t`Show request and answer`}</Button>
      </div>
    </section>
  )
}

function Bodies({ id }: { id: string }): VNode {
  const { resource, reload } = useResource((signal) => showBodies(id, signal), [id])
  return (
    <Loaded resource={resource} retry={reload}>
      {({ bodies }) =>
        bodies.length === 0 ? (
          <p class="sheet soft">{t`The request and the answer have expired.`}</p>
        ) : (
          <>
            {bodies.length > bodyParts.length ? (
              <p class="sheet soft">{t`Later requests used the same id; their entries follow in order.`}</p>
            ) : null}
            {bodies.map((body) => {
              const call = callOf(body)
              return call === null ? <Body key={body.id} id={id} body={body} /> : <RequestInput key={body.id} call={call} />
            })}
          </>
        )
      }
    </Loaded>
  )
}

function Body({ id, body }: { id: string; body: ShownBody }): VNode {
  const { part, unreadable, path, contentType, status, length, text, more } = body
  const facts = [path && `POST ${path}`, status, contentType?.split(';')[0], byteText(length)].filter((fact) => fact !== null).join(', ')
  return (
    <section class="sheet stack" aria-label={titles[part]}>
      <div class="row between">
        <h2>{titles[part]}</h2>
        {unreadable === null ? (
          <Button size="small" icon="download" href={`${bodiesPath(id)}/${body.id}`} download>{t`Download`}</Button>
        ) : null}
      </div>
      {unreadable === null ? (
        <>
          <p class="faint">{facts}</p>
          {text === null ? null : (
            <div class="code">
              {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a box that scrolls must be reachable by keyboard */}
              <pre tabIndex={0}>
                <code>{indented(text)}</code>
              </pre>
            </div>
          )}
          {more ? (
            <p class="faint">
              {text === null
                ? t`This output isn’t text. Download it to view it.`
                : t`Only the beginning is shown. Download it for the rest.`}
            </p>
          ) : null}
        </>
      ) : (
        <p class="note bad">
          {unreadable === 'key' ? t`It was encrypted with a key that this service doesn’t have.` : t`It was changed or is damaged.`}
        </p>
      )}
    </section>
  )
}

/** A logged request that can be sent again; null unless its body is complete. */
function callOf({ part, path, text, more }: ShownBody): RequestCall | null {
  const body = part !== 'request' || text === null || more ? null : parseRecord(text)
  return body === null || path === null ? null : { path, body }
}

function indented(text: string): string {
  const value = readJson(text)
  return value === undefined ? text : JSON.stringify(value, null, 2)
}
