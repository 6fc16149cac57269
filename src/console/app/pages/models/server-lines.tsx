import type { VNode } from 'preact'
import type { ModelServer } from '../../../contract/models.ts'
import { t } from '../../language/t.ts'

/** The servers that run a model, and whether they answered when they were last asked. */
export function ServerLines({ servers }: { servers: readonly ModelServer[] }): VNode {
  return (
    <section class="stack tight">
      <h3>{t`Runs on other servers`}</h3>
      <ul class="stack tight">
        {servers.map(({ url, model, answers, reason }) => (
          <li class="row" key={url}>
            <code class="clipped" title={url}>
              {url}
            </code>
            <span class={`mark ${answers === false ? 'bad' : answers ? 'good' : ''}`}>
              {answers === false ? t`does not answer` : answers ? t`answers again` : t`healthy`}
            </span>
            <span class="soft">{t`as ${model}`}</span>
            {reason === null ? null : (
              <span class="soft" lang="en">
                {reason}
              </span>
            )}
          </li>
        ))}
      </ul>
    </section>
  )
}
