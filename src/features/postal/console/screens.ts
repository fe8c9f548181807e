import { MailOpen } from 'lucide-react'
import type { ScreenDeclaration } from '#console-kit/screen-declaration.ts'

export const screens = [
  {
    path: '/post',
    name: 'post',
    place: 50,
    icon: MailOpen,
    permission: 'post.register',
    load: () => import('./desk.tsx'),
    catalogues: ['consolePost'],
    follows: 'record',
    actions: { registerCard: 'post.register' },
  },
  {
    path: '/post/entries',
    name: 'entries',
    place: 51,
    permission: 'post.read',
    load: () => import('./entries.tsx'),
    catalogues: ['consolePost'],
    follows: 'list',
    actions: { printLetters: 'post.read' },
  },
  {
    path: '/post/entries/:id',
    permission: 'post.read',
    load: () => import('./entry.tsx'),
    catalogues: ['consolePost', 'console.approvals'],
    follows: 'record',
  },
] as const satisfies readonly ScreenDeclaration[]
