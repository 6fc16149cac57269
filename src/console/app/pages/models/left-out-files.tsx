import type { VNode } from 'preact'
import type { LeftOutFile } from '../../../contract/models.ts'
import { t } from '../../language/t.ts'

/** Files in the models folders that are not models, and why. */
export function LeftOutFiles({ files }: { files: readonly LeftOutFile[] }): VNode {
  return (
    <section class="sheet stack tight" aria-labelledby="left-out">
      <h2 id="left-out">{t`Files left out`}</h2>
      <p class="soft">{t`These files are in the models folders but cannot be used. Requests for them get the same reason.`}</p>
      <ul class="stack tight">
        {files.map(({ file, reason }) => (
          <li class="stack tight" key={`${file} ${reason}`}>
            <code class="clipped" title={file}>
              {file}
            </code>
            <span class="soft" lang="en">
              {reason}
            </span>
          </li>
        ))}
      </ul>
    </section>
  )
}
