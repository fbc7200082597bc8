# bash tests/repro/maven-could-not-resolve-dependencies.sh   (Maven 3.8): repository unreachable, the failure cached, http blocked, no plugin, parent missing, offline
d=$(mktemp -d) && cd "$d"; R="-Dmaven.repo.local=$d/m2"; echo '<settings><mirrors><mirror><id>corp</id><mirrorOf>*</mirrorOf><url>https://repo.example.invalid/maven</url></mirror></mirrors></settings>' > s.xml
pom() { printf '<project xmlns="http://maven.apache.org/POM/4.0.0"><modelVersion>4.0.0</modelVersion>%s<groupId>com.example</groupId><artifactId>shop</artifactId><version>1.0</version><packaging>pom</packaging>%s</project>' "$2" "$1" > pom.xml; }
pom '<dependencies><dependency><groupId>com.example.lib</groupId><artifactId>codec</artifactId><version>2.1</version></dependency></dependencies>'
mvn -B -s s.xml $R validate 2>&1 | grep ERROR | head -3; mvn -B -s s.xml $R clean 2>&1 | grep ERROR | head -3;  mvn -B -s s.xml $R clean 2>&1 | grep ERROR | head -3
mvn -B -s s.xml $R spring-boot:run 2>&1 | grep ERROR | head -3; mvn -B -o $R clean 2>&1 | grep ERROR | head -3
pom '' '<parent><groupId>com.example</groupId><artifactId>parent</artifactId><version>7</version></parent>'; mvn -B -s s.xml $R validate 2>&1 | grep ERROR | head -4
pom '<repositories><repository><id>old</id><url>http://repo.example.invalid/maven</url></repository></repositories>' '<parent><groupId>com.example</groupId><artifactId>parent</artifactId><version>7</version></parent>'
mvn -B $R validate 2>&1 | grep ERROR | head -4
