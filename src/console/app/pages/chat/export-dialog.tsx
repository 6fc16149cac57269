import type { VNode } from 'preact'
import type { Turn } from '../../../../core/chat/conversation.ts'
import { t } from '../../language/t.ts'
import { Button } from '../../parts/button.tsx'
import { Dialog } from '../../parts/dialog.tsx'
import { downloadBlob } from '../gallery/download-blob.ts'
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
      <p class="soft">{t`Saves the messages shown here as a file. Only JSON can be imported again.`}</p>
      <div class="row">
        <Button
          icon="download"
          onClick={() => downloadBlob(new Blob([conversationMarkdown(title, turns)], { type: 'text/markdown' }), fileName(title, 'md'))}
        >
          Markdown
        </Button>
        <Button
          icon="download"
          onClick={() => downloadBlob(new Blob([conversationJson(title, turns)], { type: 'application/json' }), fileName(title, 'json'))}
        >
          JSON
        </Button>
      </div>
    </Dialog>
  )
}
