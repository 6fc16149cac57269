import type { VNode } from 'preact'
import type { Turn } from '../../../../core/chat/conversation.ts'
import { t } from '../../language/t.ts'
import { Button } from '../../parts/button.tsx'
import { Dialog } from '../../parts/dialog.tsx'
import { conversationJson, conversationMarkdown, fileName } from './export-conversation.ts'

interface ExportDialogProps {
  readonly title: string
  readonly turns: readonly Turn[]
  readonly onClose: () => void
}

/** Exports the shown version of a conversation as a file. */
export function ExportDialog({ title, turns, onClose }: ExportDialogProps): VNode {
  return (
    <Dialog title={t`Export`} onClose={onClose}>
      <p class="soft">{t`Saves what this conversation shows as a file.`}</p>
      <div class="row">
        <Button icon="download" onClick={() => download(fileName(title, 'md'), 'text/markdown', conversationMarkdown(title, turns))}>
          Markdown
        </Button>
        <Button icon="download" onClick={() => download(fileName(title, 'json'), 'application/json', conversationJson(title, turns))}>
          JSON
        </Button>
      </div>
    </Dialog>
  )
}

function download(name: string, type: string, text: string): void {
  const url = URL.createObjectURL(new Blob([text], { type }))
  const link = document.createElement('a')
  link.href = url
  link.download = name
  link.click()
  // By the next task, the browser has begun to read it.
  setTimeout(() => URL.revokeObjectURL(url), 0)
}
