import { CircleAlert } from 'lucide-react'
import type { ScreenDeclaration } from '#console-kit/screen-declaration.ts'

export const screens = [
  {
    path: '/alerts',
    name: 'alerts',
    place: 90,
    icon: CircleAlert,
    permission: 'alerts.read',
    load: () => import('./alerts.tsx'),
    catalogues: ['consoleAlerts'],
    follows: 'list',
  },
] as const satisfies readonly ScreenDeclaration[]
