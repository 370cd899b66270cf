package org.warpnfs.tools.bench.compare;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.StringReader;
import java.util.List;
import javax.xml.parsers.DocumentBuilderFactory;
import org.junit.jupiter.api.Test;
import org.w3c.dom.Document;
import org.w3c.dom.Element;
import org.w3c.dom.NodeList;
import org.xml.sax.InputSource;

class ResultPlotTest {
    private static Document drawn() throws Exception {
        Results results = new Results(new Plan(Given.options(List.of(Work.READ_1M), 2)));
        Row bare = Given.row(Work.READ_1M, 8, Kind.BARE_PREAD, 0);
        Row rdma = Given.row(Work.READ_1M, 8, Kind.RDMA, 4);
        results.add(bare, 0, Given.sample(1));
        results.add(bare, 1, Given.sample(2));
        results.add(rdma, 0, Given.sample(1));
        return DocumentBuilderFactory.newInstance()
                .newDocumentBuilder()
                .parse(new InputSource(new StringReader(ResultPlot.of(results))));
    }

    @Test
    void picture_isWellFormed_withABarForEachMedianAndALineForARange() throws Exception {
        Document picture = drawn();
        NodeList bars = picture.getElementsByTagName("rect");
        // The background, and two bars in each of two panels.
        assertThat(bars.getLength()).isEqualTo(5);
        Element first = (Element) bars.item(1);
        Element second = (Element) bars.item(2);
        assertThat(first.getAttribute("class")).isEqualTo("bare");
        assertThat(second.getAttribute("class")).isEqualTo("warpnfs");
        // The medians are 1.5 and 1. A value of 2 has the longest bar.
        assertThat(first.getAttribute("width")).isEqualTo("337.5");
        assertThat(second.getAttribute("width")).isEqualTo("225.0");
        assertThat(picture.getDocumentElement().getTextContent())
                .contains("READ 1 MiB, depth 8, tmpfs, as root: server CPU s/GiB", "less is better")
                .contains("1.54 (1.02-2.05)", "warpnfs RDMA, NFSv4.1");
    }

    @Test
    void colours_areThereForLightAndDark() throws Exception {
        String style = drawn().getElementsByTagName("style").item(0).getTextContent();
        assertThat(style)
                .contains(".ground { fill: #ffffff }", "prefers-color-scheme: dark", ".ground { fill: #0d1117 }");
    }
}
