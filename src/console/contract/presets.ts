import type { ChatPreset, ChatPresets } from '../../core/chat/preset.ts'

/** GET /console/api/presets. */
export type PresetList = ChatPresets

/** PUT /console/api/presets/:id. */
export type PresetUpdate = Omit<ChatPreset, 'id'>

/** PUT /console/api/presets. */
export interface StandardPreset {
  /** Left out = new conversations begin with none. */
  readonly standard?: string
}
