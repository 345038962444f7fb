/** What has to be said when nothing can be loaded, in every language but English. */
import type { Texts } from './en.js';

export type OfflineKey =
  'region' | 'powered' | 'close' | 'retry' | 'network' | 'unavailable' | 'setup' | 'reference' | 'degraded';

export const offline = {
  de: {
    region: 'Prüfung: Mensch oder Programm',
    powered: 'Geschützt durch VerifyHuman',
    close: 'Schließen',
    retry: 'Noch einmal versuchen',
    network: [
      'Die Verbindung ist unterbrochen',
      'Prüfen Sie Ihre Internetverbindung und versuchen Sie es noch einmal. Nichts ist verloren.',
    ],
    unavailable: [
      'Unser Dienst antwortet nicht',
      'Bitte versuchen Sie es in einer Minute noch einmal. Bleibt es dabei, sagen Sie den Betreibern dieser Seite Bescheid.',
    ],
    setup: [
      'Diese Prüfung ist gerade nicht verfügbar',
      'Es liegt nicht an Ihnen. Bitte sagen Sie den Betreibern dieser Seite Bescheid.',
    ],
    reference: 'Kennung: {code}',
    degraded: ['Sie können weitermachen', 'Unser Dienst ist gerade nicht erreichbar, aber das hält Sie nicht auf.'],
  },
  fr: {
    region: 'Vérification humaine',
    powered: 'Protégé par VerifyHuman',
    close: 'Fermer',
    retry: 'Réessayer',
    network: ['La connexion est interrompue', 'Vérifiez votre connexion à Internet, puis réessayez. Rien n’est perdu.'],
    unavailable: [
      'Notre service ne répond pas',
      'Réessayez dans une minute. Si cela continue, prévenez les responsables de cette page.',
    ],
    setup: [
      'Cette vérification n’est pas disponible pour le moment',
      'Vous n’y êtes pour rien. Prévenez les responsables de cette page, s’il vous plaît.',
    ],
    reference: 'Référence : {code}',
    degraded: ['Vous pouvez continuer', 'Notre service est injoignable pour l’instant, mais cela ne vous retient pas.'],
  },
  es: {
    region: 'Comprobación humana',
    powered: 'Protegido por VerifyHuman',
    close: 'Cerrar',
    retry: 'Intentar de nuevo',
    network: [
      'La conexión se ha interrumpido',
      'Revise su conexión a Internet e inténtelo de nuevo. No se ha perdido nada.',
    ],
    unavailable: [
      'Nuestro servicio no responde',
      'Inténtelo de nuevo en un minuto. Si sigue así, avise a los responsables de esta página.',
    ],
    setup: [
      'Esta comprobación no está disponible ahora',
      'No es culpa suya. Por favor, avise a los responsables de esta página.',
    ],
    reference: 'Referencia: {code}',
    degraded: ['Puede continuar', 'Nuestro servicio no está accesible en este momento, pero esto no le detiene.'],
  },
  pt: {
    region: 'Verificação humana',
    powered: 'Protegido por VerifyHuman',
    close: 'Fechar',
    retry: 'Tentar de novo',
    network: ['A ligação foi interrompida', 'Verifique a sua ligação à Internet e tente de novo. Nada se perdeu.'],
    unavailable: [
      'O nosso serviço não responde',
      'Tente de novo dentro de um minuto. Se continuar assim, avise os responsáveis por esta página.',
    ],
    setup: [
      'Esta verificação não está disponível agora',
      'A culpa não é sua. Por favor, avise os responsáveis por esta página.',
    ],
    reference: 'Referência: {code}',
    degraded: ['Pode continuar', 'O nosso serviço não está acessível neste momento, mas isso não o impede.'],
  },
  ar: {
    region: 'التحقق من وجود إنسان',
    powered: 'محمي بواسطة VerifyHuman',
    close: 'إغلاق',
    retry: 'حاول مرة أخرى',
    network: ['انقطع الاتصال', 'تحقق من اتصالك بالإنترنت ثم حاول مرة أخرى. لم تفقد شيئًا.'],
    unavailable: ['خدمتنا لا تستجيب', 'حاول مرة أخرى بعد دقيقة. وإذا استمر ذلك فأخبر المسؤولين عن هذه الصفحة.'],
    setup: ['هذا التحقق غير متاح الآن', 'ليس هذا بسببك. من فضلك أخبر المسؤولين عن هذه الصفحة.'],
    reference: 'المرجع: {code}',
    degraded: ['يمكنك المتابعة', 'لا يمكن الوصول إلى خدمتنا الآن، لكن ذلك لا يعيقك.'],
  },
  ja: {
    region: '人間であることの確認',
    powered: 'VerifyHumanによる保護',
    close: '閉じる',
    retry: 'もう一度試す',
    network: [
      '接続が途切れました',
      'インターネット接続をご確認のうえ、もう一度お試しください。失われたものはありません。',
    ],
    unavailable: [
      'サービスが応答していません',
      '1分後にもう一度お試しください。続く場合は、このページの運営者にお知らせください。',
    ],
    setup: ['この確認は現在ご利用いただけません', 'あなたのせいではありません。このページの運営者にお知らせください。'],
    reference: '参照：{code}',
    degraded: ['このままお進みいただけます', 'ただいまサービスに接続できませんが、そのままお進みいただけます。'],
  },
} as const satisfies Record<string, Pick<Texts, OfflineKey>>;
