import type { VNode } from 'preact'
import { dismissToast, toasts } from '../state/toasts.ts'
import { Button } from './button.tsx'

/** The stack of short messages; read out as they come. */
export function Toasts(): VNode {
  return (
    <div class="toasts" role="status" aria-live="polite">
      {toasts.value.map((toast) => (
        <div class="toast" key={toast.id}>
          <span lang={toast.language}>{toast.message}</span>
          {toast.action ? (
            <Button
              size="small"
              onClick={() => {
                toast.action?.run()
                dismissToast(toast.id)
              }}
            >
              {toast.action.label}
            </Button>
          ) : null}
        </div>
      ))}
    </div>
  )
}
