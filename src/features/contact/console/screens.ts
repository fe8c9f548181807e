import { Mail } from 'lucide-react'
import type { ScreenDeclaration } from '#console-kit/screen-declaration.ts'

export const screens = [
  {
    path: '/messages',
    name: 'messages',
    place: 70,
    icon: Mail,
    permission: 'messages.read',
    load: () => import('./messages.tsx'),
    catalogues: ['consoleMessages'],
    follows: 'list',
  },
  {
    path: '/messages/:id',
    permission: 'messages.read',
    load: () => import('./message.tsx'),
    catalogues: ['consoleMessages'],
    follows: 'record',
  },
] as const satisfies readonly ScreenDeclaration[]
