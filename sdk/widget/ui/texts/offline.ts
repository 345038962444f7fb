/** Texts for failures to load, in every language but English. */
import type { Texts } from './en.js';

export type OfflineKey =
  | 'region'
  | 'working'
  | 'slow'
  | 'powered'
  | 'close'
  | 'retry'
  | 'network'
  | 'unavailable'
  | 'setup'
  | 'reference'
  | 'degraded';

export const offline = {
  de: {
    region: 'Prüfung auf echte Menschen',
    working: 'Einen Moment …',
    slow: 'Es läuft noch … Bei langsamer Verbindung kann es länger dauern.',
    powered: 'Geschützt durch VerifyHuman',
    close: 'Schließen',
    retry: 'Erneut versuchen',
    network: ['Verbindung unterbrochen', 'Prüfen Sie Ihre Internetverbindung und versuchen Sie es erneut.'],
    unavailable: [
      'Unser Dienst antwortet nicht',
      'Versuchen Sie es in einer Minute erneut. Besteht das Problem weiter, wenden Sie sich an den Betreiber dieser Seite.',
    ],
    setup: [
      'Diese Prüfung ist gerade nicht verfügbar',
      'Es liegt nicht an Ihnen. Bitte wenden Sie sich an den Betreiber dieser Seite.',
    ],
    reference: 'Referenz: {code}',
    degraded: ['Sie können fortfahren', 'Unser Dienst ist gerade nicht erreichbar. Sie können trotzdem fortfahren.'],
  },
  fr: {
    region: 'Vérification humaine',
    working: 'Un instant…',
    slow: 'Toujours en cours… Cela peut prendre plus de temps avec une connexion lente.',
    powered: 'Protégé par VerifyHuman',
    close: 'Fermer',
    retry: 'Réessayer',
    network: ['Connexion interrompue', 'Vérifiez votre connexion à Internet, puis réessayez.'],
    unavailable: [
      'Notre service ne répond pas',
      'Réessayez dans une minute. Si le problème persiste, contactez le responsable du site.',
    ],
    setup: [
      'Cette vérification n’est pas disponible pour le moment',
      'Vous n’y êtes pour rien. Contactez le responsable du site.',
    ],
    reference: 'Référence : {code}',
    degraded: [
      'Vous pouvez continuer',
      'Notre service est injoignable pour le moment. Vous pouvez tout de même continuer.',
    ],
  },
  es: {
    region: 'Comprobación humana',
    working: 'Un momento…',
    slow: 'Seguimos trabajando… Con una conexión lenta puede tardar más.',
    powered: 'Protegido por VerifyHuman',
    close: 'Cerrar',
    retry: 'Intentar de nuevo',
    network: ['Conexión interrumpida', 'Revise su conexión a Internet e inténtelo de nuevo.'],
    unavailable: [
      'Nuestro servicio no responde',
      'Inténtelo de nuevo en un minuto. Si el problema continúa, contacte con el responsable de este sitio.',
    ],
    setup: [
      'Esta comprobación no está disponible ahora',
      'No es culpa suya. Contacte con el responsable de este sitio.',
    ],
    reference: 'Referencia: {code}',
    degraded: ['Puede continuar', 'No podemos acceder a nuestro servicio ahora, pero puede continuar.'],
  },
  pt: {
    region: 'Verificação humana',
    working: 'Um momento…',
    slow: 'Ainda em andamento… Com uma conexão lenta, pode demorar mais.',
    powered: 'Protegido por VerifyHuman',
    close: 'Fechar',
    retry: 'Tentar de novo',
    network: ['Conexão interrompida', 'Verifique sua conexão com a Internet e tente de novo.'],
    unavailable: [
      'Nosso serviço não está respondendo',
      'Tente de novo em um minuto. Se o problema continuar, fale com o responsável por este site.',
    ],
    setup: ['Esta verificação não está disponível agora', 'A culpa não é sua. Fale com o responsável por este site.'],
    reference: 'Referência: {code}',
    degraded: ['Você pode continuar', 'Não foi possível acessar nosso serviço agora, mas você pode continuar.'],
  },
  ar: {
    region: 'التحقق من وجود إنسان',
    working: 'لحظة من فضلك…',
    slow: 'ما زلنا نعمل… قد يستغرق ذلك وقتًا أطول إذا كان الاتصال بطيئًا.',
    powered: 'محمي بواسطة VerifyHuman',
    close: 'إغلاق',
    retry: 'حاول مرة أخرى',
    network: ['انقطع الاتصال', 'تحقق من اتصالك بالإنترنت ثم حاول مرة أخرى.'],
    unavailable: ['خدمتنا لا تستجيب', 'حاول مرة أخرى بعد دقيقة. إذا استمرت المشكلة، فتواصل مع مسؤول الموقع.'],
    setup: ['هذا التحقق غير متاح الآن', 'ليس هذا بسببك. تواصل مع مسؤول الموقع.'],
    reference: 'المرجع: {code}',
    degraded: ['يمكنك المتابعة', 'لا يمكن الوصول إلى خدمتنا الآن، لكن يمكنك المتابعة.'],
  },
  ja: {
    region: '人間であることの確認',
    working: '少々お待ちください…',
    slow: '処理中です… 接続が遅い場合は時間がかかることがあります。',
    powered: 'VerifyHumanによる保護',
    close: '閉じる',
    retry: 'もう一度試す',
    network: ['接続が切れました', 'インターネット接続をご確認のうえ、もう一度お試しください。'],
    unavailable: [
      'サービスが応答していません',
      '1分後にもう一度お試しください。解決しない場合は、サイトの運営者にお問い合わせください。',
    ],
    setup: [
      'この確認は現在ご利用いただけません',
      'お客様の操作に問題はありません。サイトの運営者にお問い合わせください。',
    ],
    reference: '参照：{code}',
    degraded: ['このままお進みいただけます', '現在サービスに接続できませんが、このままお進みいただけます。'],
  },
} as const satisfies Record<string, Pick<Texts, OfflineKey>>;
