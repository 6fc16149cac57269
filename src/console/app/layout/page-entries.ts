import type { Account } from '../../../core/account.ts'
import type { IconName } from '../parts/icon.tsx'

/** A page as the ways to it name it; those outside /console are no pages of the app. */
export interface PageEntry {
  readonly to: string
  readonly label: string
  readonly icon: IconName
}

interface PageGroup {
  readonly title: string
  readonly entries: readonly PageEntry[]
}

const make: readonly PageEntry[] = [
  { to: '/console/chat', label: 'Chat', icon: 'chat' },
  { to: '/console/images', label: 'Images', icon: 'image' },
  { to: '/console/gallery', label: 'Gallery', icon: 'gallery' },
  { to: '/console/assets', label: 'Assets', icon: 'brush' },
]
const see: readonly PageEntry[] = [
  { to: '/console/requests', label: 'Requests', icon: 'list' },
  { to: '/console/usage', label: 'Usage', icon: 'chart' },
  { to: '/console/models', label: 'Models', icon: 'model' },
]
const settings: readonly PageEntry[] = [
  { to: '/console/tokens', label: 'Access tokens', icon: 'key' },
  { to: '/console/webhooks', label: 'Webhooks', icon: 'bell' },
  { to: '/docs/api', label: 'API reference', icon: 'code' },
]
const owners: readonly PageEntry[] = [
  { to: '/console/people', label: 'People', icon: 'people' },
  { to: '/console/audit', label: 'Audit log', icon: 'list' },
  { to: '/console/service', label: 'Service', icon: 'pulse' },
]

/** The pages that somebody may see, in their groups. */
export function pageGroups({ role }: Pick<Account, 'role'>): readonly PageGroup[] {
  return [
    { title: 'Playground', entries: make },
    { title: 'Records', entries: see },
    { title: 'Settings', entries: role === 'owner' ? [...settings, ...owners] : settings },
  ]
}
