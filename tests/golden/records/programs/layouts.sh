#!/bin/sh
# Writes a configuration of Log4j 2 for each layout.
layout() {
  printf '<Configuration status="OFF"><Appenders><Console name="c">%s</Console></Appenders><Loggers><Root level="info"><AppenderRef ref="c"/></Root></Loggers></Configuration>\n' "$2" >"$1.xml"
}
layout JsonLayout '<JsonLayout compact="true" eventEol="true" properties="true"/>'
layout JsonLayout-as-string '<JsonLayout compact="true" eventEol="true" stacktraceAsString="true"/>'
layout GelfLayout '<GelfLayout compressionType="OFF" includeNewLineDelimiter="true" host="web-1"/>'
layout GelfLayout-with-stack-off '<GelfLayout compressionType="OFF" includeNewLineDelimiter="true" includeStacktrace="false" host="web-1"/>'
layout LogstashJsonEventLayoutV1 '<JsonTemplateLayout eventTemplateUri="classpath:LogstashJsonEventLayoutV1.json"/>'
layout EcsLayout '<JsonTemplateLayout eventTemplateUri="classpath:EcsLayout.json"/>'
layout GcpLayout '<JsonTemplateLayout eventTemplateUri="classpath:GcpLayout.json"/>'
layout JsonLayout-template '<JsonTemplateLayout eventTemplateUri="classpath:JsonLayout.json"/>'
layout GelfLayout-template '<JsonTemplateLayout eventTemplateUri="classpath:GelfLayout.json"/>'
