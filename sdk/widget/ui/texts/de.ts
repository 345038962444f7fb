import type { LoadedTexts } from './en.js';

export const texts: LoadedTexts = {
  box: 'Ich bin ein Mensch',
  slide: 'Schieben Sie, um zu zeigen: Ich bin ein Mensch',
  working: 'Einen Moment …',
  slow: 'Es läuft noch … Bei langsamer Verbindung dauert es etwas länger.',
  done: 'Danke, alles erledigt',
  intro: [
    'Kurze Prüfung: Sind Sie ein echter Mensch?',
    'Sie dauert etwa eine halbe Minute. Sie schauen in Ihre Kamera und machen ein paar einfache Bewegungen.',
  ],
  start: 'Starten',
  neutral: 'Eine kurze Prüfung stellt sicher, dass Antworten von echten Menschen kommen.',
  transparent:
    'Um Menschen von Programmen zu unterscheiden, betrachtet diese Prüfung Ihr Gerät und wie es bedient wird, zum Beispiel Bewegungen von Maus oder Finger. Mit Ihrer Einwilligung vermisst sie auch Ihr Gesicht. Das Ergebnis erhalten die Betreiber dieser Seite.',
  consent: [
    'Dürfen wir Ihre Kamera nutzen?',
    '{company} möchte sicherstellen, dass echte Menschen teilnehmen, und jeder nur einmal. Sie schauen in Ihre Kamera und machen ein paar einfache Bewegungen.',
  ],
  measured:
    'Ihr Gerät vermisst Form und Bewegung Ihres Gesichts. Das sind biometrische Daten. Sie dienen nur dazu, echte Menschen von Fälschungen zu unterscheiden und erneute Teilnahmen zu erkennen.',
  demographics: 'Außerdem schätzt Ihr Gerät Ihr Alter, Ihr Geschlecht und die Helligkeit Ihrer Haut.',
  consentLocal: 'Bilder und Video verlassen Ihr Gerät nie; übertragen werden nur Messwerte.',
  pictures:
    'Mit den Messwerten werden einige kleine graue Bilder Ihres Gesichts übertragen, von Software geprüft und nicht aufbewahrt. Video verlässt Ihr Gerät nie.',
  ownCompared: 'Ihr Gesicht wird mit Ihren eigenen früheren Prüfungen verglichen.',
  copiesFound:
    'Kurze Codes der Messwerte werden mit denen aller Prüfungen bei {company} verglichen, nur um zu bemerken, wenn Messwerte zweimal gesendet werden.',
  reuseFound:
    'Ihr Gesicht wird auch mit denen aller Prüfungen bei {company} aus den letzten 24 Stunden verglichen, nur um zu bemerken, wenn ein Gesicht für mehrere Teilnehmende verwendet wird.',
  studyCompared: 'Die Messwerte werden mit denen der anderen Teilnehmenden dieser Studie verglichen.',
  projectCompared: 'Die Messwerte werden mit denen der anderen Teilnehmenden dieses Projekts verglichen.',
  groupCompared:
    'Die Messwerte werden mit denen der Teilnehmenden dieses und verwandter Projekte von {company} verglichen.',
  kept: 'Sie werden höchstens {days} lang aufbewahrt und dann gelöscht.',
  counted: 'Eine Teilnahme zählt {days} lang.',
  consentOff: 'Die Kamera geht aus, sobald die Prüfung vorbei ist.',
  consentFree: 'Sie entscheiden: Es geht auch ohne Kamera weiter.',
  ask: 'Sie können Ihre Einwilligung jederzeit widerrufen und Ihre Daten löschen lassen. Fragen Sie {company}.',
  agree: 'Einverstanden, Kamera nutzen',
  decline: 'Ohne Kamera weiter',
  refuse: 'Nein, danke',
  privacy: 'Datenschutz',
  support: 'Brauchen Sie Hilfe?',
  ready: 'Ihre Kamera wird vorbereitet …',
  allow: 'Wenn Ihr Browser fragt, wählen Sie bitte „Zulassen“.',
  look_straight: 'Schauen Sie gerade in die Kamera.',
  no_face: 'Kommen Sie ins Bild, sodass Ihr Gesicht zu sehen ist.',
  too_far: 'Kommen Sie etwas näher.',
  too_dark: 'Etwas mehr Licht würde helfen.',
  many_faces: 'Bitte nur ein Gesicht im Bild.',
  blink: 'Blinzeln Sie langsam',
  turn_left: 'Drehen Sie den Kopf nach links',
  turn_right: 'Drehen Sie den Kopf nach rechts',
  nod: 'Nicken Sie',
  smile: 'Lächeln Sie',
  step: 'Schritt {n} von {total}',
  good: 'Gut gemacht!',
  secondsLeft: 'Verbleibende Sekunden: {n}',
  more: 'Mehr Zeit',
  cancel: 'Abbrechen',
  pass: ['Vielen Dank!', 'Die Prüfung ist fertig. Sie können weitermachen.'],
  without: ['Weiter ohne Kamera', 'Kein Problem. Sie können weitermachen.'],
  noted: ['Danke, wir haben Ihre Antworten notiert', 'Fragen? Die Betreiber dieser Seite helfen Ihnen weiter.'],
  fail: [
    'Diesmal hat es nicht geklappt',
    'Das kann vorkommen, zum Beispiel bei wenig Licht. Schauen Sie bei gutem Licht in die Kamera und versuchen Sie es noch einmal.',
  ],
  spent: ['Das war der letzte Versuch', 'Danke für Ihre Geduld. Die Betreiber dieser Seite helfen Ihnen weiter.'],
  duplicate: [
    'Sie haben offenbar schon teilgenommen',
    'Vielen Dank dafür! Wenn das ein Irrtum ist, helfen Ihnen die Betreiber dieser Seite.',
  ],
  needsCamera: [
    'Diese Prüfung braucht Ihre Kamera',
    'Versuchen Sie es mit Kamera noch einmal, oder fragen Sie die Betreiber dieser Seite nach einem anderen Weg.',
  ],
  denied: [
    'Die Kamera ist für diese Seite ausgeschaltet',
    'Klicken Sie auf das Kamerasymbol in der Adressleiste, erlauben Sie die Kamera und versuchen Sie es noch einmal.',
  ],
  busy: [
    'Die Kamera wird gerade benutzt',
    'Ein anderes Programm scheint sie zu verwenden, vielleicht ein Videoanruf. Schließen Sie es und versuchen Sie es noch einmal.',
  ],
  dismissed: [
    'Die Kamera wurde noch nicht erlaubt',
    'Versuchen Sie es noch einmal und wählen Sie „Zulassen“, wenn Ihr Browser fragt.',
  ],
  none: [
    'Keine Kamera gefunden',
    'Schließen Sie eine Kamera an, oder öffnen Sie diese Seite auf einem Handy. Versuchen Sie es dann noch einmal.',
  ],
  expired: ['Das hat etwas lange gedauert', 'Das macht nichts. Beginnen Sie noch einmal, wenn Sie so weit sind.'],
  wait: ['Gerade ist viel los', 'Warten Sie bitte eine Minute und versuchen Sie es dann noch einmal.'],
};
